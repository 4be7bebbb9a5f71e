/** Values of options that the language knows, for which it has no word. */
import { numberIn, textIn, type Settings } from "../../foreign/settings.ts";
import type { Left } from "./facts.ts";
import { isPart, targetsIn } from "./adapters.ts";

const trackers: ReadonlySet<string> = new Set(["", "none", "all", "tensorboard", "wandb", "no"]);

export function halfSaid(settings: Settings): readonly Left[] {
  const to = (textIn(settings, "report_to") ?? "").replaceAll(/[[\]"' ]/g, "").split(",");
  const targets = targetsIn(settings);
  const periods = ["eval", "save"].flatMap((what): Left[] => {
    const strategy = textIn(settings, `${what}_strategy`, ...(what === "eval" ? ["evaluation_strategy"] : []));
    const steps = numberIn(settings, `${what}_steps`);
    if (strategy !== null && !["no", "steps"].includes(strategy.toLowerCase()))
      return [{ what: `${what}_strategy ${strategy}`, why: "a period is a number of steps or a time" }];
    return steps !== null && steps > 0 && steps < 1
      ? [{ what: `${what}_steps ${steps}`, why: "a period is a number of steps or a time, not a share of the run" }]
      : [];
  });
  const project = textIn(settings, "wandb_project") ?? "";
  return [
    ...(project === "" ? [] : [{ what: `wandb_project ${project}`, why: "the training program takes it from WANDB_PROJECT where it runs" }]),
    ...to
      .filter((each) => !trackers.has(each.toLowerCase()))
      .map((each) => ({ what: `report_to ${each}`, why: "the language tracks with TensorBoard and Weights & Biases" })),
    ...(targets.every(isPart)
      ? []
      : [{ what: `lora_target ${targets.join(",")}`, why: "the language has no names for some of these parts" }]),
    ...periods,
  ];
}
