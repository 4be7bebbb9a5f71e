/**
 * `npm run bench -- plan [ROUNDS]`: how fast layouts are decided. Whole spaces are searched with the physics that plans use, in CPU time
 * of all threads; beside them a loop that only counts as many combinations. Then whole processes of the built `cdrc plan` of a mixture of
 * experts on 1,024 GPUs, beside a bare node.
 *
 * The spaces: what Megatron starts (tensor, pipeline, chunks, context, expert, sequence parallel, distributed optimizer, recompute,
 * micro-batch), and an imagined engine that has every knob which Calculon 1.0 counts 13,165,632 combinations of on the same model, cluster
 * and batch: states sharded or not, three ways to recompute, offloading, transfers of tensor ranks, replicas and stages overlapped or not.
 * Its three forms of tensor-parallel transfers are two here, its offloading of each kind of state apart is two levels here; ZeRO 2 and 3
 * and context parallelism are only here.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engines } from "../compiler/engines/index.ts";
import type { Engine } from "../compiler/engines/engine.ts";
import { devices } from "../compiler/hardware/index.ts";
import { families } from "../compiler/models/index.ts";
import { size } from "../compiler/passes/size.ts";
import type { ClusterSpec, FamilyName, Scalar } from "../compiler/pipeline.ts";
import { layoutText } from "../compiler/planner/describe.ts";
import { find } from "../compiler/planner/search/find.ts";
import { worldOf, type Setting } from "../compiler/planner/setting.ts";
import { race, table } from "./measure.ts";

interface Problem {
  readonly name: string;
  readonly settings: readonly Setting[];
}

interface Row {
  readonly name: string;
  readonly devices: number;
  readonly considered: number;
  /** Reckoned in full; all others are proved not to be among the answer. */
  readonly evaluated: number;
  readonly seconds: number;
  readonly considered_per_second: number;
  /** CPU seconds of a loop that only counts as many. */
  readonly counting: number;
  readonly best: string;
}

const span = { source: { path: "bench.cdr", text: "" }, start: 0, end: 0 };
const open = { given: new Map(), bounds: new Map() };

export async function run(words: readonly string[]): Promise<unknown> {
  const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 7);
  const titles = ["space", "devices", "considered", "evaluated", "CPU s", "per second", "counting s"];
  process.stderr.write(`${titles.map((title, at) => (at === 0 ? title.padEnd(38) : title.padStart(12))).join("")}\n`);
  const spaces = problems().map(measured);
  const processes = processesOf(rounds);
  table(processes);
  return { spaces, processes };
}

function problems(): Problem[] {
  const gpt3 = modelOf("gpt2", { layers: 96, d_model: 12288, heads: 96, context: 2048, vocab: 51200 });
  const qwen = modelOf("qwen3_moe", {
    ...{ layers: 94, d_model: 4096, heads: 64, kv_heads: 4, head_dim: 128, vocab: 151936, context: 32768 },
    ...{ "moe.experts": 128, "moe.top_k": 8, "moe.d_ff": 1536 },
  });
  const a100 = clusterOf("a100_80gb", 64, 300e9, 200e9);
  const h100 = clusterOf("h100_sxm", 128, 450e9, 400e9);
  const on = (
    model: Setting["model"],
    cluster: ClusterSpec,
    batch: number,
    sequence: number,
    all: boolean,
  ): Setting[] =>
    (all ? imagined() : [engines.megatron]).map((engine) => ({
      ...{ family: families[model.family], model, cluster, engine, sequence, globalBatch: batch },
      ...{ precision: "bf16", attention: "sdpa", compile: false, tf32: true },
    }));
  return [
    { name: "warm-up: GPT-3 175B, Megatron", settings: on(gpt3, a100, 1536, 2048, false) },
    { name: "GPT-3 175B, Megatron", settings: on(gpt3, a100, 1536, 2048, false) },
    { name: "GPT-3 175B, every knob", settings: on(gpt3, a100, 1536, 2048, true) },
    { name: "Qwen3 235B-A22B, Megatron", settings: on(qwen, h100, 4096, 4096, false) },
    { name: "Qwen3 235B-A22B, every knob", settings: on(qwen, h100, 4096, 4096, true) },
  ];
}

function measured({ name, settings }: Problem): Row {
  const start = process.cpuUsage();
  const found = settings.map((setting) => find(setting, open));
  const seconds = since(start);
  const considered = found.reduce((sum, one) => sum + one.considered, 0);
  const evaluated = found.reduce((sum, one) => sum + one.evaluated, 0);
  const firsts = found.flatMap(({ ranked }) => ranked.slice(0, 1));
  const best = firsts.sort((a, b) => Number(b.fits) - Number(a.fits) || a.time.step - b.time.step)[0];
  const row = {
    name,
    devices: settings[0] === undefined ? 0 : worldOf(settings[0].cluster),
    considered,
    evaluated,
    seconds,
    considered_per_second: considered / seconds,
    counting: counting(considered),
    best: best === undefined ? "none" : `${best.time.step.toPrecision(4)} s: ${layoutText(best.choice)}`,
  };
  const cells = [
    ...[row.devices, row.considered, row.evaluated].map((count) => count.toLocaleString("en")),
    row.seconds.toFixed(3),
    Math.round(row.considered_per_second).toLocaleString("en"),
    row.counting.toFixed(3),
  ];
  process.stderr.write(`${name.padEnd(38)}${cells.map((cell) => cell.padStart(12)).join("")}\n`);
  return row;
}

function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

/** Eight knobs of one digit each, as nested loops would turn them; the sum keeps the loop from being left out. */
function counting(combinations: number): number {
  const start = process.cpuUsage();
  const digits = new Uint8Array(8);
  let sum = 0;
  for (let one = 0; one < combinations; one++) {
    let at = 0;
    while (at < 8 && digits[at] === 7) digits[at++] = 0;
    if (at < 8) digits[at] = (digits[at] ?? 0) + 1;
    sum += digits[0] ?? 0;
  }
  return sum < 0 ? 0 : since(start);
}

function modelOf(family: FamilyName, values: Readonly<Record<string, Scalar>>): Setting["model"] {
  const origin = { kind: "written", span, layer: "file" } as const;
  const given = new Map(Object.entries(values).map(([name, value]) => [name, { value, span, origin }]));
  const written = { name: family, span, family: { value: family, span, origin }, size: null, tokenizerVocab: null };
  const { model, diagnostics } = size({ ...written, given, bounds: new Map() });
  if (model === null) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return model;
}

function clusterOf(name: string, nodes: number, link: number, network: number): ClusterSpec {
  const device = devices.get(name);
  if (device === undefined) throw new Error(`no device ${name}`);
  return { name, span, device, nodes, gpusPerNode: 8, ram: 2 ** 41, cores: null, link, network, price: null };
}

/** Megatron with all ZeRO stages and offloading, once for each way to overlap its transfers or not. */
function imagined(): Engine[] {
  const { megatron } = engines;
  const switches = [true, false];
  return switches.flatMap((tensor) =>
    switches.flatMap((data) =>
      switches.map((pipeline): Engine => ({
        name: megatron.name,
        version: megatron.version,
        widths: megatron.widths,
        measured: megatron.measured,
        rules: [],
        lower: () => [],
        capabilities: {
          ...megatron.capabilities,
          zero_stages: [0, 1, 2, 3],
          offload: ["none", "optimizer", "all"],
        },
        describe: (run) => {
          const { engine } = megatron.describe(run);
          const { states } = engine;
          const away = run.offload !== "none";
          const weights = run.offload === "all" ? 0 : states.weights;
          const optimizer = away ? 0 : states.optimizer;
          return {
            engine: { ...engine, states: { ...states, weights, optimizer }, overlaps: { tensor, data, pipeline } },
            host: states.weights - weights + states.optimizer - optimizer,
          };
        },
      })),
    ),
  );
}

function processesOf(rounds: number): ReturnType<typeof race> {
  const folder = mkdtempSync(join(tmpdir(), "cdr-plan-"));
  try {
    const bin = join(import.meta.dirname, "../bin");
    const file = join(folder, "main.cdr");
    writeFileSync(file, mixture);
    return race(
      [
        { name: "node -e 0", command: [process.execPath, "-e", "0"] },
        { name: "cdrc plan, 1,024 GPUs", command: [join(bin, "cdrc"), "plan", file] },
        { name: "without snapshot", command: [process.execPath, join(bin, "cdrc.mjs"), "plan", file] },
      ],
      rounds,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const mixture = `import "std/clusters" { dgx_h100 }

model experts {
  family   = qwen3_moe
  layers   = 94
  d_model  = 4096
  heads    = 64
  kv_heads = 4
  head_dim = 128
  vocab    = 151936
  context  = 32768 tokens
  moe { experts = 128, top_k = 8, d_ff = 1536 }
}

data corpus { from = "corpus.txt", sequence = 4096 tokens }
cluster pod extends dgx_h100 { nodes = 128 }

stage pretrain {
  model     = experts
  data      = corpus
  engine    = megatron
  length    = 1000 steps
  batch     = 4096 samples
  optimizer = adamw(lr = 1e-4)
}

launch here on pod { target = local }
`;
