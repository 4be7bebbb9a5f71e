/** How the states of a training are spread: ZeRO, offload, and what FSDP calls the same. */
import type { Launch } from "../../foreign/launch.ts";
import { missingDeepSpeed } from "../../foreign/documents/missing-deepspeed.ts";
import { numberIn, switchIn, textIn, type Settings } from "../../foreign/settings.ts";
import type { Document } from "../../document.ts";
import { atPath, type Section } from "./deepspeed-document.ts";
import { ofShards } from "./shards.ts";
import { unsaid } from "./answers.ts";
import type { Left } from "./facts.ts";

export interface Zero {
  readonly engine: "deepspeed" | "torch";
  readonly stage: number;
  readonly offload: "none" | "optimizer" | "all";
  readonly left: readonly Left[];
  /** Ranks that shard a copy, where there are several copies. */
  readonly over?: string;
  /** Why the stage and the offload are guesses. */
  readonly guessed?: string;
}

/** accelerate/utils/dataclasses.py: DeepSpeedPlugin.zero_stage */
const usualStage = 2;

export function zeroOf(launch: Launch, settings: Settings, config: Section | null, ranks: number): Zero {
  const { runs } = launch;
  if (config !== null) return { engine: "deepspeed", ...ofConfig(config), left: [] };
  const missing = missingDeepSpeed(launch);
  if (missing !== null) {
    const file = String(missing.value);
    return {
      engine: "deepspeed",
      stage: numberIn(settings, "zero_stage", "deepspeed_config.zero_stage") ?? usualStage,
      offload: "none",
      left: [{ what: `all settings of ${file}`, why: "it is not among these files: ZeRO stage, offloading and precision are unknown" }],
      guessed: `${file} says it, but is not here`,
    };
  }
  const kind = (textIn(settings, "distributed_type") ?? "").toUpperCase();
  const isDeepSpeed =
    kind === "DEEPSPEED" || switchIn(settings, "use_deepspeed") === true || runs.some(({ launcher }) => launcher.kind === "deepspeed");
  if (isDeepSpeed) {
    const told = numberIn(settings, "zero_stage", "deepspeed_config.zero_stage");
    const stage = told ?? usualStage;
    // The stage that is usual is accelerate's; a program under DeepSpeed's own launcher chooses in its code.
    const isOpen = told === null && launch.accelerate === null;
    const where = (name: string): boolean =>
      !["none", null].includes(textIn(settings, name, `deepspeed_config.${name}`));
    const optimizer = where("offload_optimizer_device") && stage > 0;
    const all = where("offload_param_device") && stage === 3;
    return { engine: "deepspeed", stage, offload: all ? "all" : optimizer ? "optimizer" : "none", left: [], ...(isOpen ? { guessed: unsaid } : {}) };
  }
  return ofShards(settings, kind, ranks);
}

function ofConfig(config: Section): Pick<Zero, "stage" | "offload"> {
  const at = (path: string): Document | undefined => atPath(config, `zero_optimization.${path}`);
  // runtime/zero/config.py: read_zero_config_deprecated
  const stage = Number(at("stage") ?? (config["zero_optimization"] === true ? 1 : 0));
  const held = (name: string): boolean => {
    const device = at(`${name}.device`);
    return device === "cpu" || device === "nvme";
  };
  const all = stage === 3 && (held("offload_param") || at("cpu_offload_param") === true);
  const optimizer = stage > 0 && (held("offload_optimizer") || at("cpu_offload") === true);
  return { stage: [0, 1, 2, 3].includes(stage) ? stage : 0, offload: all ? "all" : optimizer ? "optimizer" : "none" };
}
