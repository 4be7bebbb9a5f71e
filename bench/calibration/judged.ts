/** The six runs that a calibration is judged by. */
interface Judged {
  readonly name: string;
  readonly processes: 1 | 2;
  readonly family: string;
  readonly layers: number;
  readonly width: number;
  readonly heads: number;
  readonly vocab: number;
  readonly sequence: number;
  readonly micro: number;
  readonly accumulation?: number;
  readonly layout: string;
  readonly engine: "torch" | "deepspeed";
}

const all: readonly Omit<Judged, "name">[] = [
  {
    processes: 1,
    family: "llama",
    layers: 5,
    width: 384,
    heads: 6,
    vocab: 1024,
    sequence: 256,
    micro: 4,
    engine: "torch",
    layout: "",
  },
  {
    processes: 1,
    family: "gpt2",
    layers: 8,
    width: 192,
    heads: 3,
    vocab: 512,
    sequence: 128,
    micro: 16,
    engine: "torch",
    layout: "recompute = full",
  },
  {
    processes: 1,
    family: "gpt_neox",
    layers: 3,
    width: 640,
    heads: 10,
    vocab: 4096,
    sequence: 512,
    micro: 1,
    accumulation: 4,
    engine: "torch",
    layout: "",
  },
  {
    processes: 2,
    family: "gpt2",
    layers: 6,
    width: 320,
    heads: 5,
    vocab: 512,
    sequence: 256,
    micro: 4,
    engine: "torch",
    layout: "",
  },
  {
    processes: 2,
    family: "llama",
    layers: 4,
    width: 448,
    heads: 7,
    vocab: 2048,
    sequence: 512,
    micro: 1,
    accumulation: 2,
    engine: "deepspeed",
    layout: "zero_stage = 1",
  },
  {
    processes: 2,
    family: "llama",
    layers: 10,
    width: 256,
    heads: 4,
    vocab: 1024,
    sequence: 128,
    micro: 8,
    engine: "deepspeed",
    layout: "zero_stage = 3, recompute = full",
  },
];

export const judged: readonly Judged[] = all.map((one, index) => ({
  ...one,
  name: `judged_${index + 1}_${one.family}`,
}));

export function judgedSource(processes: number): string {
  const runs = judged.filter((one) => one.processes === processes);
  const sequences = [...new Set(runs.map(({ sequence }) => sequence))];
  return `edition = 2026
import "./machine.cdr" { this_machine }
launch here on this_machine { target = local(processes = ${processes}) }
${sequences.map((sequence) => `data text_${sequence} { from = python_stdlib(part = docs), tokenizer = bytes, limit = 60 files, split { val = 10% } }`).join("\n")}
${runs.map(stageOf).join("\n")}
`;
}

function stageOf(one: Judged): string {
  const {
    name,
    processes,
    family,
    layers,
    width,
    heads,
    vocab,
    sequence,
    micro,
    accumulation = 1,
    engine,
    layout,
  } = one;
  return `
model ${name}_model { family = ${family}, layers = ${layers}, d_model = ${width}, heads = ${heads}, context = ${sequence} tokens, vocab = ${vocab} }
stage ${name} {
  model = ${name}_model, data = text_${sequence}, engine = ${engine}
  length = 12 steps, batch = ${micro * accumulation * processes} samples, optimizer = adamw(lr = 1e-4)
  log { every = 1 steps }
  layout { micro_batch = ${micro} samples${layout === "" ? "" : `, ${layout}`}${layout.includes("recompute") ? "" : ", recompute = none"} }
}`;
}
