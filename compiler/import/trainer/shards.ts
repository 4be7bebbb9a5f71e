/** FSDP in the terms of ZeRO. */
import { parallelSize } from "../../foreign/parallelism.ts";
import { switchIn, textIn, type Settings } from "../../foreign/settings.ts";
import { numeral } from "../literals.ts";
import type { Left } from "./facts.ts";
import type { Zero } from "./zero.ts";

/** transformers/training_args.py: one switch since 5, and words of which some name the strategy before it. */
const isOffWord = (text: string): boolean => ["FALSE", "NONE", "0", "NO"].includes(text);

export function ofShards(settings: Settings, kind: string, ranks: number): Zero {
  const names = (name: string): readonly string[] => [`fsdp_${name}`, `fsdp_config.fsdp_${name}`, `fsdp_config.${name}`];
  const said = (name: string): string => (textIn(settings, ...names(name)) ?? "").toUpperCase();
  const written = (textIn(settings, "fsdp") ?? "").toUpperCase();
  const words = isOffWord(written) ? "" : written;
  const sharding = said("sharding_strategy") || words;
  if (kind !== "FSDP" && sharding === "" && switchIn(settings, "use_fsdp") !== true)
    return { engine: "torch", stage: 0, offload: "none", left: [] };
  // accelerate/utils/dataclasses.py: FullyShardedDataParallelPlugin; the second version says in one switch what the first has names for.
  const reshards = said("reshard_after_forward");
  const strategy = /^(?:TRUE|FALSE)$/.test(reshards) || sharding === "" ? reshards : sharding;
  const stage = /NO_SHARD|^3$/.test(strategy) ? 0 : /GRAD_OP|ZERO2|^[25]$|FALSE/.test(strategy) ? 2 : 3;
  // accelerate/parallelism_config.py: ParallelismConfig: replicas beside shards, which the first version says by its strategy.
  const copies = parallelSize(settings, "dp_replicate_size");
  const isGrouped = copies > 1 && ranks % copies === 0 && ranks > copies;
  const over = isGrouped ? numeral(ranks / copies) : /HYBRID|^[45]$/.test(strategy) ? "pod.node.gpus" : undefined;
  const isOffloaded =
    switchIn(settings, ...names("offload_params"), ...names("cpu_offload")) === true || /\bOFFLOAD\b/.test(words);
  if (isOffloaded) return offloaded(stage, over);
  return { engine: "torch", stage, offload: "none", left: [], ...(over === undefined || stage === 0 ? {} : { over }) };
}

/** Of the engines here only DeepSpeed offloads. */
function offloaded(stage: number, over: string | undefined): Zero {
  const what = "FSDP";
  const all: Left = { what, why: "torch offloads nothing here, and DeepSpeed's ZeRO stage 3 shards the same tensors" };
  const some: Left = { what: "FSDP's offload of weights", why: "ZeRO stage 2 offloads gradients and optimizer states; weights stay on the GPUs" };
  const none: Left = { what: "FSDP's CPU offload", why: "no engine here offloads what it does not shard" };
  if (stage === 0) return { engine: "torch", stage, offload: "none", left: [none] };
  const grouped: readonly Left[] =
    over === undefined ? [] : [{ what: "groups that share a copy", why: "with offload, all ranks share one" }];
  return {
    engine: "deepspeed",
    stage,
    offload: stage === 3 ? "all" : "optimizer",
    left: [stage === 3 ? all : some, ...grouped],
  };
}
