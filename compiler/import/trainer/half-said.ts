/** Values of options that the language knows, for which it has no word. */
import { textIn, type Settings } from "../../foreign/settings.ts";
import type { Left } from "./facts.ts";
import { isPart, targetsIn, tuningOf } from "./adapters.ts";
import { recomputing } from "./stage.ts";

const trackers: ReadonlySet<string> = new Set(["", "none", "all", "tensorboard", "wandb", "no"]);

export function halfSaid(settings: Settings): readonly Left[] {
  const to = (textIn(settings, "report_to") ?? "").replaceAll(/[[\]"' ]/g, "").split(",");
  const targets = targetsIn(settings);
  const tuning = tuningOf(settings);
  const kept = recomputing.map((name) => textIn(settings, name) ?? "").find((word) => word.startsWith("offload"));
  const project = textIn(settings, "wandb_project") ?? "";
  return [
    ...(tuning === null || /^(?:q?lora|full)?$/.test(tuning)
      ? []
      : [{ what: `training by ${tuning}`, why: "the language has no such adapters; the stage trains all weights" }]),
    ...(kept === undefined
      ? []
      : [{ what: `gradient_checkpointing ${kept}`, why: "what is kept for recomputing stays on the GPUs" }]),
    ...(project === "" ? [] : [{ what: `wandb_project ${project}`, why: "the training program takes it from WANDB_PROJECT where it runs" }]),
    ...to
      .filter((each) => !trackers.has(each.toLowerCase()))
      .map((each) => ({ what: `report_to ${each}`, why: "the language tracks with TensorBoard and Weights & Biases" })),
    ...(targets.every(isPart)
      ? []
      : [{ what: `lora_target ${targets.join(",")}`, why: "the language has no names for some of these parts" }]),
  ];
}
