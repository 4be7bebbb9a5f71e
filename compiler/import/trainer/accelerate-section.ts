/** The DeepSpeed configuration that accelerate makes of its own settings where nobody names a file. */
import type { Launch } from "../../foreign/launch.ts";
import { switchIn, textIn, type Settings } from "../../foreign/settings.ts";
import type { Section } from "./deepspeed-document.ts";
import type { Zero } from "./zero.ts";

/** accelerate/utils/dataclasses.py: DeepSpeedPlugin.__post_init__. Whatever it leaves out is DeepSpeed's own default. */
export function accelerateSection(launch: Launch, settings: Settings, zero: Zero): Section | null {
  const kind = (textIn(settings, "distributed_type") ?? "").toUpperCase();
  const isDeepSpeed = kind === "DEEPSPEED" || switchIn(settings, "use_deepspeed") === true;
  if (launch.accelerate === null || !isDeepSpeed || zero.guessed !== undefined) return null;
  const said = (name: string): string | null => textIn(settings, name, `deepspeed_config.${name}`);
  const place = (name: string): Section => {
    const device = said(`${name}_device`) ?? "none";
    return { device, ...(device === "nvme" ? { nvme_path: said(`${name}_nvme_path`) } : {}) };
  };
  // Who says nothing of it saves what the training program saves.
  const gathers = switchIn(settings, "zero3_save_16bit_model", "deepspeed_config.zero3_save_16bit_model") !== false;
  return {
    zero_optimization: {
      stage: zero.stage,
      offload_optimizer: place("offload_optimizer"),
      offload_param: place("offload_param"),
      stage3_gather_16bit_weights_on_model_save: gathers,
    },
  };
}
