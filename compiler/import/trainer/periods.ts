/** When a training evaluates, logs and saves, and how many checkpoints it keeps. */
import { documentsOf, type Launch } from "../../foreign/launch.ts";
import { numberIn, textIn, type Settings } from "../../foreign/settings.ts";
import { block, property, when, type Member } from "../draft.ts";
import { quantity, quoted } from "../literals.ts";
import type { Facts, Left } from "./facts.ts";

type What = "eval" | "logging" | "save";

interface Usual {
  readonly strategy: string | null;
  readonly steps: number | null;
}

/** transformers/training_args.py: TrainingArguments; axolotl/core/builders/base.py: _configure_save_and_eval_strategy. */
const trainers: Readonly<Record<What, Usual>> = {
  eval: { strategy: "no", steps: null },
  logging: { strategy: "steps", steps: 500 },
  save: { strategy: "steps", steps: 500 },
};
const none: Usual = { strategy: null, steps: null };
const axolotls: Readonly<Record<What, Usual>> = { ...trainers, logging: none, save: { strategy: "epoch", steps: null } };
const others: Readonly<Record<What, Usual>> = { eval: none, logging: none, save: none };

export interface Periods {
  readonly members: readonly Member[];
  readonly left: readonly Left[];
}

export function periodsOf(launch: Launch, settings: Settings, length: Facts["length"]["value"]): Periods {
  const isAxolotl = documentsOf(launch, "axolotl").length > 0;
  const usual = isAxolotl ? axolotls : launch.trainer === null ? others : trainers;
  const left: Left[] = [];
  const every = (what: What): readonly Member[] => {
    const steps = periodOf(what, settings, usual[what], { length, left });
    return when(steps !== null, property("every", quantity(steps ?? 1, "steps")));
  };
  const named = (name: string, members: readonly Member[]): readonly Member[] => when(members.length > 0, block(name, members));
  const saving = every("save");
  const most = numberIn(settings, "save_total_limit") ?? (isAxolotl ? 4 : null);
  const keep = most !== null && most >= 1 ? `[last(${most})]` : launch.trainer === null ? null : "all";
  const to = textIn(settings, "output_dir");
  const checkpoint = [
    ...saving,
    ...when(keep !== null && saving.length > 0, property("keep", keep ?? "all")),
    ...when(to !== null, property("to", quoted(to ?? ""))),
  ];
  return {
    members: [
      ...named("eval", every("eval")),
      ...named("log", every("logging")),
      ...(textIn(settings, "save_strategy") === "no" ? [property("checkpoint", "none")] : named("checkpoint", checkpoint)),
    ],
    left,
  };
}

/** Steps between two times; `null` where there are none, or where `left` says how it was. */
function periodOf(
  what: What,
  settings: Settings,
  usual: Usual,
  { length, left }: { readonly length: Facts["length"]["value"]; readonly left: Left[] },
): number | null {
  const names = [`${what}_strategy`, ...(what === "eval" ? ["evaluation_strategy"] : [])];
  const said = textIn(settings, ...names);
  const strategy = (said ?? usual.strategy ?? "steps").toLowerCase();
  if (strategy === "no") return null;
  if (strategy !== "steps") {
    const by = said === null ? " (the program's default)" : "";
    left.push({ what: `${what}_strategy ${said ?? strategy}${by}`, why: "a period is a number of steps or a time" });
    return null;
  }
  const name = `${what}_steps`;
  // An evaluation whose time nobody says is when the loss is logged.
  const otherwise = what === "eval" && said !== null ? (numberIn(settings, "logging_steps") ?? trainers.logging.steps) : usual.steps;
  const steps = numberIn(settings, name) ?? (settings.has(name) ? null : otherwise);
  if (steps === null || steps <= 0) return null;
  if (steps >= 1) return Math.round(steps);
  // transformers/trainer_callback.py: TrainerState.compute_steps
  if (length.unit === "steps") return Math.ceil(length.value * steps);
  left.push({ what: `${name} ${steps}`, why: "a period is a number of steps or a time, and no file gives the steps of the run" });
  return null;
}
