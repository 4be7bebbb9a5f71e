/** Lengths of DeepSpeed's own schedules. */
import { documentsOf } from "../launch.ts";
import { at, numberAt, scalarOf } from "../located.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const schedule = (total: number, warmup: number): string =>
  `{ "train_batch_size": 16, "scheduler": { "type": "WarmupDecayLR", "params": { "total_num_steps": ${total}, "warmup_num_steps": ${warmup} } } }`;

export const deepspeedScheduleRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-schedule",
    severity: "warning",
    source: "deepspeed/runtime/lr_schedules.py: WarmupDecayLR.__init__, WarmupCosineLR.__init__",
    why: "The learning rate rises for warmup_num_steps and falls until total_num_steps. Where the total is the smaller, it never falls; DeepSpeed only logs that.",
    fix: "Set total_num_steps to the steps of the whole run, warm-up and all.",
    check: (launch) =>
      documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const [total, warmup] = [
          at(root, "scheduler", "params", "total_num_steps"),
          at(root, "scheduler", "params", "warmup_num_steps"),
        ];
        const [all, rising] = [numberAt(total), numberAt(warmup)];
        const name = String(scalarOf(at(root, "scheduler", "type")));
        if (total === undefined || all === null || rising === null || all >= rising) return [];
        if (!["WarmupDecayLR", "WarmupCosineLR"].includes(name)) return [];
        const message = `the schedule ends after ${all} steps and warms up for ${rising}`;
        return [{ span: total.span, message, ...nearby("the warm-up", warmup?.span) }];
      }),
    fires: { "ds.json": schedule(5, 10) },
    silent: { "ds.json": schedule(10, 10) },
  }),
];
