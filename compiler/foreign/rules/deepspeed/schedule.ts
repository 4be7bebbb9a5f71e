/** DeepSpeed's own schedules, of rates and of checkpointed activations. */
import { below } from "../../../engines/release.ts";
import { enginesOf } from "../../engines.ts";
import { documentsOf } from "../../launch.ts";
import { at, numberAt, scalarOf } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const schedule = (total: number, warmup: number): string =>
  `{ "train_batch_size": 16, "scheduler": { "type": "WarmupDecayLR", "params": { "total_num_steps": ${total}, "warmup_num_steps": ${warmup} } } }`;

const warming = (more: string): string =>
  `{ "train_batch_size": 16, "optimizer": { "type": "AdamW", "params": { "lr": 2e-5 } }, "scheduler": { "type": "WarmupDecayLR", "params": { "total_num_steps": 100, "warmup_num_steps": 10${more} } } }`;

const checkpoints = (more: string): string =>
  `{ "train_batch_size": 16, "activation_checkpointing": { "partition_activations": true, "contiguous_memory_optimization": true${more} } }`;

export const deepspeedScheduleRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-schedule",
    severity: "warning",
    source: "deepspeed/runtime/lr_schedules.py: WarmupDecayLR.__init__, WarmupCosineLR.__init__",
    why: "The learning rate rises for warmup_num_steps and falls until total_num_steps. If the total is smaller, it never falls; DeepSpeed only logs a warning.",
    fix: "Set total_num_steps to the steps of the whole run, warm-up included.",
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
        const message = `the schedule ends after ${all} steps, but its warm-up takes ${rising}`;
        return [{ span: total.span, message, ...nearby("the warm-up", warmup?.span) }];
      }),
    fires: { "ds.json": schedule(5, 10) },
    silent: { "ds.json": schedule(10, 10) },
  }),
  rule({
    name: "deepspeed-warmup-rate",
    severity: "warning",
    source: "deepspeed/runtime/lr_schedules.py: WarmupLR.__init__, WarmupDecayLR.__init__ (warmup_max_lr)",
    why: "The warm-up sets the optimizer's rate at each step, up to warmup_max_lr. The default is 0.001, whatever the optimizer's lr; WarmupLR uses the optimizer's lr from release 0.17.2 on.",
    fix: "Set warmup_max_lr to the rate that the optimizer should reach.",
    check: (launch) => {
      const release = enginesOf(launch).find(({ engine }) => engine === "deepspeed")?.version ?? null;
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const [type, rate] = [at(root, "scheduler", "type"), at(root, "optimizer", "params", "lr")];
        const name = String(scalarOf(type));
        const isDefault =
          name === "WarmupDecayLR" || (name === "WarmupLR" && release !== null && below(release, "0.17.2"));
        const lr = numberAt(rate);
        const told = at(root, "scheduler", "params", "warmup_max_lr");
        if (type === undefined || !isDefault || lr === null || lr === 0.001 || told !== undefined) return [];
        const message = `${name} without warmup_max_lr rises to 0.001, and the optimizer's lr ${lr} is ignored`;
        return [{ span: type.span, message, ...nearby("the optimizer's", rate?.span) }];
      });
    },
    fires: { "ds.json": warming("") },
    silent: { "ds.json": warming(', "warmup_max_lr": 2e-5') },
  }),
  rule({
    name: "deepspeed-checkpoint-count",
    source: "deepspeed/runtime/activation_checkpointing/checkpointing.py: partition_activations, configure",
    why: "Activations in one contiguous buffer need a known number of checkpoints: the buffer is allocated for number_checkpoints at the first of them, and without the number the first forward pass stops.",
    fix: "Set number_checkpoints to the number of checkpointed layers, or contiguous_memory_optimization to false.",
    check: (launch) =>
      documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const section = at(root, "activation_checkpointing");
        const buffer = at(section, "contiguous_memory_optimization");
        const [parts, count] = [at(section, "partition_activations"), at(section, "number_checkpoints")];
        if (buffer === undefined || scalarOf(buffer) !== true || scalarOf(parts) !== true) return [];
        return numberAt(count) !== null || (count !== undefined && scalarOf(count) !== null)
          ? []
          : [
              {
                span: buffer.span,
                message: "contiguous_memory_optimization needs number_checkpoints, unless the program gives it",
              },
            ];
      }),
    // Programs that are made for it say it to configure() themselves.
    severity: "info",
    fires: { "ds.json": checkpoints("") },
    silent: { "ds.json": checkpoints(', "number_checkpoints": 24') },
  }),
];
