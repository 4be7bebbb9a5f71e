/** What experts chose and what the sizer chooses for the same number of parameters. */
import { families } from "../../compiler/models/index.ts";
import { parametersOf } from "../../compiler/models/measure.ts";
import { complete } from "../../compiler/passes/size/complete.ts";
import { size } from "../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../compiler/pipeline.ts";
import type { SizedModel } from "../../compiler/plan.ts";
import { modelRequest, sizeOf } from "./pipeline.ts";

type Values = Readonly<Record<string, Scalar>>;

export interface Case {
  readonly name: string;
  readonly family: FamilyName;
  /** What a file would write: the vocabulary and what the family leaves open. */
  readonly said: Values;
  /** What the experts chose of what the sizer chooses. */
  readonly chosen: Values;
  readonly which?: "active";
}

const gpt3 = { vocab: 50257, context: 2048 };
const pythia = { vocab: 50304 };
const llama3 = { vocab: 128256, kv_heads: 8 };

export const cases: readonly Case[] = [
  ...(
    [
      ["Small", 12, 768, 12],
      ["Medium", 24, 1024, 16],
      ["Large", 24, 1536, 16],
      ["XL", 24, 2048, 16],
      ["2.7B", 32, 2560, 32],
      ["6.7B", 32, 4096, 32],
      ["13B", 40, 5120, 40],
      ["175B", 96, 12288, 96],
    ] as const
  ).map(([name, layers, d_model, heads]) => ({
    name: `GPT-3 ${name}`,
    family: "gpt2" as const,
    said: gpt3,
    chosen: { layers, d_model, heads, d_ff: 4 * d_model },
  })),
  ...(
    [
      ["14M", 6, 128, 4],
      ["31M", 6, 256, 8],
      ["70M", 6, 512, 8],
      ["160M", 12, 768, 12],
      ["410M", 24, 1024, 16],
      ["1B", 16, 2048, 8],
      ["1.4B", 24, 2048, 16],
      ["2.8B", 32, 2560, 32],
      ["6.9B", 32, 4096, 32],
      ["12B", 36, 5120, 40],
    ] as const
  ).map(([name, layers, d_model, heads]) => ({
    name: `Pythia ${name}`,
    family: "gpt_neox" as const,
    said: pythia,
    chosen: { layers, d_model, heads, d_ff: 4 * d_model },
  })),
  ...(
    [
      ["7B", 32, 4096, 32, 11008],
      ["13B", 40, 5120, 40, 13824],
      ["33B", 60, 6656, 52, 17920],
      ["65B", 80, 8192, 64, 22016],
    ] as const
  ).map(([name, layers, d_model, heads, d_ff]) => ({
    name: `LLaMA ${name}`,
    family: "llama" as const,
    said: {},
    chosen: { layers, d_model, heads, d_ff },
  })),
  ...(
    [
      ["3.2 1B", 16, 2048, 32, 8192, true],
      ["3.2 3B", 28, 3072, 24, 8192, true],
      ["3.1 8B", 32, 4096, 32, 14336, false],
      ["3.1 70B", 80, 8192, 64, 28672, false],
      ["3.1 405B", 126, 16384, 128, 53248, false],
    ] as const
  ).map(([name, layers, d_model, heads, d_ff, tied]) => ({
    name: `Llama ${name}`,
    family: "llama" as const,
    said: { ...llama3, tied },
    chosen: { layers, d_model, heads, d_ff },
  })),
  ...(
    [
      ["1B", 24, 2048, 16, 4608],
      ["4B", 36, 3072, 24, 8192],
      ["40B", 64, 6144, 48, 16384],
      ["200B", 96, 12288, 96, 32768],
    ] as const
  ).flatMap(([name, layers, d_model, heads, d_ff]) =>
    (["core", "reason"] as const).map((kind) => ({
      name: `CDRmix ${kind} ${name}`,
      family: "cdrmix" as const,
      said: {},
      chosen: { layers, d_model, heads, d_ff },
      which: "active" as const,
    })),
  ),
];

export interface Compared {
  readonly name: string;
  readonly target: number;
  readonly theirs: Values;
  readonly ours: SizedModel;
}

/** The sizer is asked for exactly as many parameters as the experts' model has. */
export function compare({ name, family, said, chosen, which = undefined }: Case): Compared {
  const shape = complete(families[family], { ...said, ...chosen }, new Map())?.shape;
  if (shape === undefined) throw new Error(`${name} does not build`);
  const target = parametersOf(families[family], shape)[which ?? "total"];
  const asked = sizeOf(target);
  const { model, diagnostics } = size(
    modelRequest(family, said, { size: asked === null ? null : { ...asked, which: which ?? "total" } }),
  );
  if (model === null) throw new Error(`${name}: ${diagnostics.map((d) => d.message).join("; ")}`);
  return { name, target, theirs: chosen, ours: model };
}

/** Rows of the table in docs/models.md. */
export function table(): string {
  const text = (values: Values): string =>
    `${String(values["layers"])} x ${String(values["d_model"])}, ${String(values["heads"])} heads${shared(values)}, ${String(values["d_ff"])}`;
  const shared = ({ heads, kv_heads = heads }: Values): string =>
    kv_heads === heads ? "" : ` on ${String(kv_heads)}`;
  const rows = cases.map((one) => {
    const { name, target, theirs, ours } = compare(one);
    const got = ours.parameters[one.which ?? "total"];
    const off = `${(100 * (got / target - 1)).toFixed(2)} %`;
    const depth = `${(100 * (ours.layers / Number(theirs["layers"]) - 1)).toFixed(0)} %`;
    return [
      name,
      target.toLocaleString("en"),
      text({ ...one.said, ...theirs }),
      text({ ...ours } as unknown as Values),
      off,
      depth,
    ];
  });
  const head = [
    "model",
    "parameters",
    "theirs: layers x width, heads (on key-value heads), MLP",
    "ours",
    "count",
    "depth",
  ];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
