/** What experts chose and what the sizer chooses for the same number of parameters. */
import { families } from "../../compiler/models/index.ts";
import { parametersOf } from "../../compiler/models/measure.ts";
import { complete } from "../../compiler/passes/size/complete.ts";
import { size } from "../../compiler/passes/size.ts";
import type { SizedModel } from "../../compiler/plan.ts";
import { type Case, dense, mixture, type Values } from "./ladder-cases.ts";
import { unseen } from "./ladders-unseen.ts";
import { modelRequest, sizeOf } from "./pipeline.ts";

const gpt3 = { vocab: 50257, context: 2048 };
const pythia = { vocab: 50304 };
const llama3 = { vocab: 128256, kv_heads: 8 };

/** Published since, each as its configuration says. */
const later: readonly Case[] = [
  ...dense("qwen2", "Qwen2.5", { vocab: 152064 }, [
    ["0.5B", 24, 896, 14, 4864, { vocab: 151936, kv_heads: 2, tied: true }],
    ["1.5B", 28, 1536, 12, 8960, { vocab: 151936, kv_heads: 2, tied: true }],
    ["3B", 36, 2048, 16, 11008, { vocab: 151936, kv_heads: 2, tied: true }],
    ["7B", 28, 3584, 28, 18944, { kv_heads: 4 }],
    ["14B", 48, 5120, 40, 13824, { kv_heads: 8 }],
    ["32B", 64, 5120, 40, 27648, { kv_heads: 8 }],
    ["72B", 80, 8192, 64, 29568, { kv_heads: 8 }],
  ]),
  ...dense("qwen3", "Qwen3", { vocab: 151936, kv_heads: 8 }, [
    ["0.6B", 28, 1024, 16, 3072, { tied: true }],
    ["1.7B", 28, 2048, 16, 6144, { tied: true }],
    ["4B", 36, 2560, 32, 9728, { tied: true }],
    ["8B", 36, 4096, 32, 12288],
    ["14B", 40, 5120, 40, 17408],
    ["32B", 64, 5120, 64, 25600, {}, "as wide as the 14B"],
  ]),
  ...dense("gemma2", "Gemma 2", { vocab: 256000 }, [
    ["2B", 26, 2304, 8, 9216, { kv_heads: 4 }],
    ["9B", 42, 3584, 16, 14336, { kv_heads: 8 }],
    ["27B", 46, 4608, 32, 36864, { kv_heads: 16, head_dim: 128 }, "an MLP of eight widths"],
  ]),
  ...dense("olmo2", "OLMo 2", { vocab: 100352 }, [
    ["1B", 16, 2048, 16, 8192],
    ["7B", 32, 4096, 32, 11008],
    ["13B", 40, 5120, 40, 13824],
    ["32B", 64, 5120, 40, 27648, { kv_heads: 8 }, "as wide as the 13B"],
  ]),
  ...dense("mistral", "Mistral", { kv_heads: 8 }, [
    ["7B", 32, 4096, 32, 14336, { vocab: 32000 }],
    ["Nemo 12B", 40, 5120, 32, 14336, { vocab: 131072, head_dim: 128 }],
    ["Small 3 24B", 40, 5120, 32, 32768, { vocab: 131072, head_dim: 128 }],
    ["Large 2 123B", 88, 12288, 96, 28672, { vocab: 32768 }],
  ]),
  ...dense("nemotron", "Nemotron-4", { vocab: 256000, kv_heads: 8 }, [
    ["15B", 32, 6144, 48, 24576],
    ["340B", 96, 18432, 96, 73728],
  ]),
];

const mixtures: readonly Case[] = [
  mixture("mixtral", "Mixtral 8x7B", { vocab: 32000, kv_heads: 8 }, [32, 4096, 32, 8, 14336, 2]),
  mixture("mixtral", "Mixtral 8x22B", { vocab: 32768, kv_heads: 8 }, [56, 6144, 48, 8, 16384, 2]),
  mixture("qwen3_moe", "Qwen3 30B-A3B", { vocab: 151936, kv_heads: 4 }, [48, 2048, 32, 128, 768, 8]),
  mixture("qwen3_moe", "Qwen3 235B-A22B", { vocab: 151936, kv_heads: 4 }, [94, 4096, 64, 128, 1536, 8]),
  mixture("gpt_oss", "gpt-oss 20B", { vocab: 201088, kv_heads: 8 }, [24, 2880, 64, 32, 2880, 4]),
  mixture("gpt_oss", "gpt-oss 120B", { vocab: 201088, kv_heads: 8 }, [36, 2880, 64, 128, 2880, 4]),
  mixture("deepseek_v3", "DeepSeek-V3", { vocab: 129280, d_ff: 18432 }, [61, 7168, 128, 256, 2048, 8]),
];

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
    // So that it fits one GPU (Biderman et al., section 2.1).
    ...(name === "1B" ? { odd: "as wide as the 1.4B and a third shallower" } : {}),
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
  ...later,
  ...mixtures,
  ...unseen,
];

export interface Compared {
  readonly name: string;
  readonly target: number;
  readonly theirs: Values;
  readonly ours: SizedModel;
}

/** The sizer is asked for exactly as many parameters as the experts' model has. */
export function compare({ name, family, said, chosen, which: counted, both }: Case): Compared {
  const which = counted ?? "total";
  const shape = complete(families[family], { ...said, ...chosen }, new Map())?.shape;
  if (shape === undefined) throw new Error(`${name} does not build`);
  const { [which]: target, total } = parametersOf(families[family], shape);
  const asked = sizeOf(target);
  const counts = both === true ? { total } : {};
  const { model, diagnostics } = size(
    modelRequest(family, said, { size: asked === null ? null : { ...asked, which, ...counts } }),
  );
  if (model === null) throw new Error(`${name}: ${diagnostics.map((d) => d.message).join("; ")}`);
  return { name, target, theirs: chosen, ours: model };
}

const expertsOf = ({ moe }: SizedModel): Values =>
  moe === undefined ? {} : { "moe.experts": moe.experts, "moe.d_ff": moe.d_ff, "moe.top_k": moe.top_k };

/** Rows of the table in docs/models.md. */
export function table(): string {
  const text = (values: Values): string =>
    `${String(values["layers"])} x ${String(values["d_model"])}, ${String(values["heads"])} heads${shared(values)}, ${inner(values)}`;
  const inner = ({ d_ff, "moe.experts": experts, "moe.d_ff": width, "moe.top_k": top }: Values): string =>
    experts === undefined ? String(d_ff) : `${String(top)} of ${String(experts)} experts of ${String(width)}`;
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
      text({ ...ours, ...(one.both === true ? expertsOf(ours) : {}) } as unknown as Values),
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
