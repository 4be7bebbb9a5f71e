/** Random layer-token dropping and curricula: what their schedules are made of. */
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { isSection, textOf, truthy } from "../value.ts";
import { inTable } from "../../../../dsl/in-table.ts";

const scheduler = demandsOf("runtime/data_pipeline/data_routing/scheduler.py: RandomLTDScheduler", "build");
const steps = demandsOf("runtime/data_pipeline/data_routing/scheduler.py: BaseScheduler.get_value", "step");
const layer = demandsOf(
  "runtime/data_pipeline/data_routing/basic_layer.py: RandomLayerTokenDrop.init_config",
  "step",
);
const curricula = demandsOf("runtime/data_pipeline/curriculum_scheduler.py: CurriculumScheduler.__init__", "step");

const dropping = "data_efficiency.data_routing.random_ltd";
const learning = "data_efficiency.data_sampling.curriculum_learning";
const demanded = ["data_efficiency.enabled", "data_efficiency.data_routing.enabled", `${dropping}.enabled`];
const drops = ({ plain }: Settings): boolean => demanded.every((path) => truthy(plain(path)));

const words: Readonly<Record<string, readonly string[]>> = {
  model_type: ["encoder", "decoder"],
  hidden_state_order: ["batch_seq_dim", "seq_batch_dim"],
};
/** What each form of curriculum reads of its schedule. */
const forms: Readonly<Record<string, readonly string[]>> = {
  fixed_discrete: ["difficulty", "max_step"],
  fixed_root: ["total_curriculum_step", "difficulty_step", "root_degree"],
  fixed_linear: ["total_curriculum_step", "difficulty_step"],
  custom: [],
};

const schedule = { min_value: 128, max_value: 1024, schedule_config: { require_steps: 100, seq_per_step: 16 } };
const ltd = (more: object): object => ({
  data_efficiency: {
    enabled: true,
    data_routing: {
      enabled: true,
      random_ltd: {
        enabled: true,
        total_layer_num: 12,
        random_ltd_layer_num: 2,
        random_ltd_layer_id: [1, 2],
        model_mask_name: "attention_mask",
        model_type: "decoder",
        hidden_state_order: "batch_seq_dim",
        random_ltd_schedule: { ...schedule, schedule_type: "fixed_linear" },
        ...more,
      },
    },
  },
});
const curriculum = (metric: object): object => ({
  data_efficiency: {
    enabled: true,
    data_sampling: {
      enabled: true,
      curriculum_learning: { enabled: true, curriculum_metrics: { seqlen: { max_difficulty: 1024, ...metric } } },
    },
  },
});
const linear = {
  schedule_type: "fixed_linear",
  schedule_config: { total_curriculum_step: 100, difficulty_step: 8 },
};

export const dataOrder: readonly Demand[] = [
  scheduler("token-dropping-rate", {
    about: `${dropping}.layer_token_lr_schedule.enabled`,
    check: (settings) =>
      drops(settings) && truthy(settings.plain(`${dropping}.layer_token_lr_schedule.enabled`))
        ? "random_ltd.layer_token_lr_schedule is not implemented"
        : null,
    valid: ["false"],
    why: "A learning rate that depends on the tokens of a layer is documented but not implemented: building the engine stops with a bare NotImplementedError.",
    fix: "Set layer_token_lr_schedule.enabled to false, or leave the section out.",
    fires: ltd({ layer_token_lr_schedule: { enabled: true } }) as Demand["fires"],
    silent: ltd({ layer_token_lr_schedule: { enabled: false } }) as Demand["fires"],
  }),
  steps("token-dropping-schedule", {
    about: `${dropping}.random_ltd_schedule.schedule_type`,
    check: (settings) => {
      const type = settings.plain(`${dropping}.random_ltd_schedule.schedule_type`);
      return !drops(settings) || type === undefined || type === "fixed_linear"
        ? null
        : `random_ltd_schedule.schedule_type = ${textOf(type)}: only fixed_linear is implemented`;
    },
    valid: ["fixed_linear"],
    why: "The number of tokens that a layer keeps can grow with the steps in only one way; any other word stops the first step.",
    fix: "Write fixed_linear.",
    fires: ltd({ random_ltd_schedule: { ...schedule, schedule_type: "fixed_root" } }) as Demand["fires"],
    silent: ltd({}) as Demand["fires"],
  }),
  ...Object.entries(words).map(([name, valid]) =>
    layer(`token-dropping-${name.replaceAll("_", "-")}`, {
      about: `${dropping}.${name}`,
      check: (settings) => {
        const value = settings.plain(`${dropping}.${name}`);
        return !drops(settings) || value === undefined || valid.includes(String(value))
          ? null
          : `random_ltd.${name} = ${textOf(value)} is not one of ${valid.join(", ")}`;
      },
      valid,
      why: "Tokens are selected along one dimension of a layer's input, by different rules for encoders and decoders. Any other word stops the program when it replaces its layers.",
      fix: `Write ${valid.join(" or ")}.`,
      fires: ltd({ [name]: "bert" }) as Demand["fires"],
      silent: ltd({ [name]: valid[1] }) as Demand["fires"],
    }),
  ),
  curricula("curriculum-schedule", {
    about: `${learning}.curriculum_metrics`,
    check: ({ plain }) => {
      const on = ["data_efficiency.enabled", "data_efficiency.data_sampling.enabled", `${learning}.enabled`];
      const metrics = plain(`${learning}.curriculum_metrics`);
      if (!on.every((path) => truthy(plain(path))) || !isSection(metrics)) return null;
      for (const [name, metric] of metrics) {
        if (!isSection(metric)) continue;
        const missing = ["min_difficulty", "max_difficulty", "schedule_type"].find((key) => !metric.has(key));
        if (missing !== undefined) return `curriculum metric ${name} has no ${missing}`;
        const type = metric.get("schedule_type");
        const keys = inTable(forms, String(type));
        if (keys === undefined)
          return `curriculum metric ${name}: schedule_type ${textOf(type ?? null)} is not one of ${Object.keys(forms).join(", ")}`;
        const config = metric.get("schedule_config");
        const unsaid = keys.find((key) => !isSection(config) || !config.has(key));
        if (unsaid !== undefined)
          return `curriculum metric ${name}: ${String(type)} has no schedule_config.${unsaid}`;
      }
      return null;
    },
    why: "Each metric goes from its lowest to its highest difficulty by its own schedule. The sampler of training data stops at a metric without an end or a step.",
    fix: "Give the metric min_difficulty, max_difficulty, schedule_type (fixed_linear, fixed_root, fixed_discrete or custom) and the keys of schedule_config that the type needs.",
    fires: curriculum(linear) as Demand["fires"],
    silent: curriculum({ ...linear, min_difficulty: 8 }) as Demand["fires"],
  }),
];
