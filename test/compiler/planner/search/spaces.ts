/** Small problems of every kind, small enough to try all their layouts. */
import * as fc from "fast-check";
import type { EngineName, FamilyName, Scalar, Settings } from "../../../../compiler/pipeline.ts";
import { engines } from "../../../../compiler/engines/index.ts";
import { families } from "../../../../compiler/models/index.ts";
import { size } from "../../../../compiler/passes/size.ts";
import { choiceOf, type Space } from "../../../../compiler/planner/search/space.ts";
import type { Choice, Setting } from "../../../../compiler/planner/setting.ts";
import { cluster, device, modelRequest, settings, span } from "../../../support/pipeline.ts";

export interface Problem {
  readonly setting: Setting;
  readonly layout: Settings;
}

const families_ = [
  "gpt2",
  "llama",
  "qwen3_moe",
  "deepseek_v3",
  "nemotron_h",
] as const satisfies readonly FamilyName[];

const shapes: Readonly<Record<(typeof families_)[number], Readonly<Record<string, Scalar>>>> = {
  gpt2: {},
  llama: { kv_heads: 4 },
  qwen3_moe: { kv_heads: 4, "moe.experts": 16, "moe.top_k": 2, "moe.d_ff": 512 },
  deepseek_v3: { "moe.experts": 16, "moe.top_k": 2, "moe.d_ff": 512 },
  nemotron_h: {},
};

const pins: fc.Arbitrary<Settings> = fc
  .record(
    {
      tensor_parallel: fc.constantFrom(1, 2, 4),
      pipeline_parallel: fc.constantFrom(1, 2, 4),
      zero_stage: fc.constantFrom(0, 1, 3),
      recompute: fc.constantFrom("none", "full"),
      micro_batch: fc.constantFrom(1, 2, 4),
      sequence_parallel: fc.boolean(),
      expert_tensor_parallel: fc.constantFrom(1, 2),
    },
    { requiredKeys: [] },
  )
  .chain((given) =>
    fc
      .constantFrom(
        ...[
          "tensor_parallel",
          "pipeline_parallel",
          "context_parallel",
          "expert_tensor_parallel",
          "micro_batch",
          "none",
        ],
      )
      .map((name) => ({
        given: settings(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))),
        bounds: new Map(name === "none" ? [] : [[name, { min: null, max: 4, oneOf: null, spans: [span] }]]),
      })),
  );

const open: Settings = { given: new Map(), bounds: new Map() };

/** `layers` that pipelines divide and some that they do not; cards that hold everything and cards that hold little. */
export const problems: fc.Arbitrary<Problem> = fc
  .record({
    family: fc.constantFrom(...families_),
    engine: fc.constantFrom<EngineName[]>("megatron", "megatron", "deepspeed", "torch"),
    layers: fc.constantFrom(3, 8, 12, 14, 24, 31),
    width: fc.constantFrom(1024, 2048, 4096, 8192),
    gpu: fc.constantFrom("a100_80gb", "h100_sxm", "l40s"),
    memory: fc.constantFrom(1, 0.5, 0.2, 0.05),
    nodes: fc.constantFrom(1, 2, 4),
    gpusPerNode: fc.constantFrom(2, 4, 8),
    ram: fc.constantFrom(null, 64 * 2 ** 30, 2 ** 41),
    sequence: fc.constantFrom(1024, 4096),
    perRank: fc.constantFrom(1, 2, 4, 6, 12),
    precision: fc.constantFrom("bf16", "fp32"),
    attention: fc.constantFrom("sdpa", "eager"),
    layout: fc.oneof(fc.constant(open), pins),
    option: fc.constantFrom("none", "none", "groups", "quantize", "nvme"),
  } as const)
  .map((drawn) => {
    const { family, width, nodes, gpusPerNode, sequence, precision, attention } = drawn;
    const values = { layers: drawn.layers, d_model: width, heads: width / 128, context: 4096, ...shapes[family] };
    const sized = size(
      modelRequest(
        family,
        family === "nemotron_h" ? { layers: drawn.layers, d_model: width, context: 4096 } : values,
      ),
    );
    if (sized.model === null) throw new Error(sized.diagnostics.map(({ message }) => message).join("; "));
    const card = device(drawn.gpu);
    return {
      setting: {
        family: families[family],
        model: sized.model,
        cluster: cluster({
          nodes,
          gpusPerNode,
          ram: drawn.ram,
          device: { ...card, memory: drawn.memory * card.memory },
        }),
        engine: engines[drawn.engine],
        precision,
        attention,
        compile: false,
        tf32: true,
        sequence,
        globalBatch: drawn.perRank * nodes * gpusPerNode,
        ...optionOf(drawn.engine, drawn.option, gpusPerNode),
      },
      layout: drawn.layout,
    };
  });

/** What stands in the parentheses of an engine that shards. */
function optionOf(engine: EngineName, option: string, ranks: number): Partial<Setting> {
  if (engine === "torch") return option === "groups" ? { shardOver: ranks } : {};
  if (engine !== "deepspeed") return {};
  switch (option) {
    case "groups":
      return { secondOver: ranks };
    case "quantize":
      return { quantize: ["weights", "gradients"] };
    case "nvme":
      return { nvme: true };
    default:
      return {};
  }
}

/** Every layout of a space, with all layers run again where it leaves open how many. */
export function choicesOf({ groups, variants }: Space): Choice[] {
  return groups.flatMap((group) =>
    group.depths.flatMap((depth) =>
      depth.micros.flatMap((micro) =>
        variants.filter(group.takes).map((variant) => choiceOf(group, depth, micro, variant)),
      ),
    ),
  );
}
