import type { HostedStep } from "../engine.ts";
import { rawWord } from "./raw-word.ts";

/** Words of a stage's own that decide which optimizer is built, and where. */
const words: readonly string[] = [
  "optimizer",
  "optimizer_cpu_offload",
  "optimizer_offload_fraction",
  "use_precision_aware_optimizer",
  "decoupled_weight_decay",
  "fp8_param_gather",
  "use_torch_fsdp2",
  "use_megatron_fsdp",
];

const noRaw = {};

/** Can it be stepped there at all, whatever a stage says besides? */
export const isSteppedOnHost = (optimizer: HostedStep["optimizer"]): boolean =>
  optimizer === undefined || optimizer.name === "adamw";

/**
 * The host's optimizer is AdamW alone (megatron/core/optimizer/optimizer_config.py: use_precision_aware_optimizer; optimizer/__init__.py:
 * decoupled_weight_decay), and it makes weights in eight bits anew with delayed scales only (megatron/training/arguments.py: validate_args).
 */
export function stepsOnHost({ optimizer, narrow, raw = noRaw }: HostedStep): boolean {
  return (
    isSteppedOnHost(optimizer) && narrow?.weights !== true && words.every((name) => rawWord(raw, name) === undefined)
  );
}
