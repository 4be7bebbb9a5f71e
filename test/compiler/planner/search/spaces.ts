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

type Values = Readonly<Record<string, Scalar>>;

interface Kind {
  readonly family: FamilyName;
  readonly values: (layers: number, width: number) => Values;
}

const experts = { "moe.experts": 16, "moe.top_k": 2, "moe.d_ff": 512 };

const kind = (family: FamilyName, more: Values = {}): Kind => ({
  family,
  values: (layers, width) => ({ layers, d_model: width, heads: width / 128, context: 4096, ...more }),
});

/** What stands in a pattern of letters, as often as there are layers. */
const hybrid = (family: FamilyName, letters: string | null, more: Values = {}): Kind => ({
  family,
  values: (layers, width) => ({
    ...(letters === null ? { layers } : { pattern: letters.repeat(layers).slice(0, layers) }),
    d_model: width,
    context: 4096,
    ...more,
  }),
});

const plain: readonly Kind[] = [
  kind("gpt2"),
  kind("llama", { kv_heads: 4 }),
  kind("qwen3_moe", { kv_heads: 4, ...experts }),
  kind("deepseek_v3", experts),
  hybrid("nemotron_h", null),
];

/** Layers of several kinds, dealt so that stages differ: experts in some, attention in few, all of one kind at an end. */
const several: readonly Kind[] = [
  hybrid("nemotron_h", "ME*-", experts),
  hybrid("nemotron_h", "MEMEM*EMM-", experts),
  hybrid("bamba", null),
  hybrid("bamba", "MMM*M"),
  kind("qwen3_moe", { kv_heads: 4, "moe.every": 2, ...experts }),
  kind("qwen3_moe", { kv_heads: 4, "moe.every": 3, ...experts }),
  hybrid("gemma3", "LLG", { kv_heads: 4, head_dim: 128 }),
  kind("gpt_oss", { kv_heads: 4, ...experts }),
];

const pins: fc.Arbitrary<Settings> = fc
  .record(
    {
      tensor_parallel: fc.constantFrom(1, 2, 4),
      pipeline_parallel: fc.constantFrom(1, 2, 4),
      virtual_pipeline: fc.constantFrom(1, 2, 3),
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
const problemsOf = (kinds: readonly Kind[]): fc.Arbitrary<Problem> =>
  fc
    .record({
      of: fc.constantFrom(...kinds),
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
      const { width, nodes, gpusPerNode, sequence, precision, attention } = drawn;
      const { family, values } = drawn.of;
      const sized = size(modelRequest(family, values(drawn.layers, width)));
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

export const problems = problemsOf(plain);
export const mixed = problemsOf(several);

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
