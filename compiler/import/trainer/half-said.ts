/** Values of options that the language knows, for which it has no word. */
import { textIn, type Settings } from "../../foreign/settings.ts";
import type { Left } from "./facts.ts";
import { isPart, targetsIn } from "./adapters.ts";

const trackers: ReadonlySet<string> = new Set(["", "none", "all", "tensorboard", "wandb", "no"]);

export function halfSaid(settings: Settings): readonly Left[] {
  const to = (textIn(settings, "report_to") ?? "").replaceAll(/[[\]"' ]/g, "").split(",");
  const targets = targetsIn(settings);
  const project = textIn(settings, "wandb_project") ?? "";
  return [
    ...(project === "" ? [] : [{ what: `wandb_project ${project}`, why: "the training program takes it from WANDB_PROJECT where it runs" }]),
    ...to
      .filter((each) => !trackers.has(each.toLowerCase()))
      .map((each) => ({ what: `report_to ${each}`, why: "the language tracks with TensorBoard and Weights & Biases" })),
    ...(targets.every(isPart)
      ? []
      : [{ what: `lora_target ${targets.join(",")}`, why: "the language has no names for some of these parts" }]),
  ];
}
