/** Random launches of Megatron: a launch that every check accepts, with one to three arguments laid over it. */
import { bases } from "../../compiler/engines/megatron/bases.ts";
import { argumentTable, type Argument, type Entry } from "../../compiler/engines/megatron/table.ts";
import { random } from "./random.ts";

export interface RandomLaunch {
  readonly entry: Entry;
  readonly argv: readonly string[];
  /** What was laid over. */
  readonly more: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly world: number;
  readonly architecture: string;
}

const split = (text: string): readonly string[] => text.split(" ");

const started: readonly (readonly [Entry, readonly string[]])[] = [
  ["gpt", split(bases.gpt)],
  ["gpt", split(bases.moe)],
  ["hybrid", split(bases.hybrid)],
  [
    "gpt",
    [
      ...split(bases.gpt),
      ...split(
        "--tensor-model-parallel-size 2 --sequence-parallel --use-distributed-optimizer --overlap-grad-reduce",
      ),
    ],
  ],
  [
    "gpt",
    [...split(bases.gpt), ...split("--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2")],
  ],
  [
    "gpt",
    [
      ...split(bases.gpt),
      ...split("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"),
      ...split("--save out --load out --save-interval 10"),
    ],
  ],
  [
    "gpt",
    [
      ...split(bases.gpt),
      ...split("--group-query-attention --num-query-groups 4 --swiglu --normalization RMSNorm"),
      ...split("--position-embedding-type rope --untie-embeddings-and-output-weights"),
    ],
  ],
];

/** What an argument's words stand for is looked up somewhere: a file, a checkpoint, a package, a module. */
const elsewhere: ReadonlySet<string> = new Set([
  ...["yaml_cfg", "spec", "te_precision_config_file", "heterogeneous_layers_config_path", "enable_msc"],
  ...["kitchen_config_file", "kitchen_recipe_number", "tokenizer_type", "non_persistent_ckpt_type", "async_save"],
  ...[
    "async_strategy",
    "use_persistent_ckpt_worker",
    "inprocess_restart",
    "fp8_quantizer_factory",
    "use_checkpoint_args",
  ],
]);

/** The sizes that others are held against. */
const sizes: ReadonlySet<string> = new Set([
  ...["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size", "num_layers"],
  ...["expert_model_parallel_size", "expert_tensor_parallel_size", "num_attention_heads", "num_query_groups"],
  ...["hidden_size", "seq_length", "micro_batch_size", "global_batch_size", "num_experts", "moe_router_topk"],
]);

const wholes = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 100, 256, 768, 1024, 2048];
const reals = [0, 0.01, 0.1, 0.5, 0.9, 1, 1.5, 2, 1e-5, 10];
const texts = ["x", "none", "fp32", "bf16", "0.1", "1,2", "8", "auto", "attn", "mlp", "local", "0:8 100:16"];

export function randomLaunches(seed: number, count: number, version: string): readonly RandomLaunch[] {
  const { below, pick } = random(seed);
  const { all } = argumentTable("gpt", version);
  // What only some programs take comes after what all do.
  const common = all.filter(({ dest, help }) => help !== "" && !elsewhere.has(dest));
  const sized = common.filter(({ dest }) => sizes.has(dest));

  function word({ type, choices, default: usual }: Argument): string {
    if (choices !== undefined) return String(pick(choices));
    if (type === "int")
      return String(typeof usual === "number" && below(3) === 0 ? usual * pick([1, 2, 3]) : pick(wholes));
    if (type === "float") return String(pick(reals));
    return pick(texts);
  }

  function wordsOf(argument: Argument): readonly string[] {
    const name = pick(argument.names);
    if (argument.action !== undefined) return [name];
    const times = argument.nargs === undefined ? 1 : Number(argument.nargs) || pick([1, 1, 2]);
    return [name, ...Array.from({ length: times }, () => word(argument))];
  }

  return Array.from({ length: count }, () => {
    const [entry, argv] = pick(started);
    const picked = Array.from({ length: pick([1, 1, 2, 3]) }, () => pick(below(3) === 0 ? sized : common));
    const more = picked.flatMap(wordsOf);
    const env: Record<string, string> = below(6) === 0 ? {} : { CUDA_DEVICE_MAX_CONNECTIONS: "1" };
    return {
      entry,
      argv: [...argv, ...more],
      more,
      env,
      world: pick([8, 8, 16]),
      architecture: pick(["9.0", "10.0"]),
    };
  });
}
