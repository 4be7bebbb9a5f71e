import { demandsOf, type Demand } from "../step.ts";
import { asNumber, isInt, textOf, truthy, type Value } from "../value.ts";
import { stageOf } from "./precision.ts";

const pipeline = demandsOf("runtime/pipe/module.py and engine.py: __init__", "build");
const experts = demandsOf(
  "utils/groups.py; runtime/zero/stage_1_and_2.py: _configure_moe_settings; runtime/engine.py",
  "build",
);
const mesh = demandsOf("__init__.py: initialize; comm/comm.py: initialize_mesh_device", "build");
const autoEp = demandsOf("module_inject/auto_ep_config.py: validate_autoep_config", "build");

const presets = ["mixtral", "qwen3_moe", "qwen3_5_moe", "deepseek_v2", "deepseek_v3", "minimax_m3"];
const choices: Readonly<Record<string, readonly string[]>> = {
  score_apply: ["auto", "pre", "post"],
  combine_impl: ["auto", "weighted_sum", "fused_weighted_sum", "legacy_bmm"],
  row_weighting_impl: ["auto", "eager", "fused"],
  gate_up_impl: ["separate", "fused"],
  comm_backend: ["comm", "deepep"],
  score_func: ["auto", "softmax", "sigmoid"],
};
const one = (value: Value | undefined): boolean => typeof value === "number" && value >= 1;

export const parallel: readonly Demand[] = [
  pipeline("pipeline-stages", {
    about: "pipeline.stages",
    check: (_, { model, world }) =>
      model.kind === "pipeline" && world % model.stages !== 0
        ? `${model.stages} pipeline stages do not divide ${world} ranks`
        : null,
    why: "Every stage has the same number of ranks, so the number of stages must divide the ranks.",
    fix: "Use a number of stages that divides the ranks, or start a multiple of it.",
    fires: { $model: "pipeline:3", zero_optimization: { stage: 1 } },
    silent: { $model: "pipeline:2", zero_optimization: { stage: 1 } },
  }),
  pipeline("pipeline-zero", {
    about: "zero_optimization.stage",
    check: (settings, { model }) =>
      model.kind === "pipeline" && stageOf(settings) > 1
        ? `pipeline stages cannot be combined with ZeRO stage ${stageOf(settings)}, only with 0 and 1`
        : null,
    valid: ["0", "1"],
    why: "A pipeline keeps the gradients of all micro-batches of a step; sharding them would need communication in each of them.",
    fix: "Set zero_optimization.stage to 1 or 0, or build the model without pipeline stages.",
    fires: { $model: "pipeline:2" },
    silent: { $model: "pipeline:2", zero_optimization: { stage: 1 } },
  }),
  ...["pipe_partitioned", "grad_partitioned"].map((name) =>
    pipeline(name.replace("_", "-"), {
      about: `pipeline.${name}`,
      check: ({ plain }, { model }) => {
        const value = plain(`pipeline.${name}`);
        return model.kind !== "pipeline" || value === undefined || typeof value === "boolean"
          ? null
          : `pipeline.${name} = ${textOf(value)} is not true or false`;
      },
      valid: ["true", "false"],
      why: "The key says whether tensors are sent between stages in shards. Any text would count as true, so the engine accepts only true or false.",
      fix: `Write true or false for pipeline.${name}, without quotes.`,
      fires: { $model: "pipeline:2", pipeline: { [name]: "true" } },
      silent: { $model: "pipeline:2", pipeline: { [name]: true } },
    }),
  ),
  pipeline("pipeline-recompute", {
    about: "pipeline.activation_checkpoint_interval",
    check: ({ plain }, { model }) => {
      const value = plain("pipeline.activation_checkpoint_interval");
      return model.kind !== "pipeline" || value === undefined || asNumber(value) !== undefined
        ? null
        : `pipeline.activation_checkpoint_interval = ${textOf(value)} is not a number of layers`;
    },
    why: "The interval is the number of layers between two kept activations; 0 keeps all. With a text, building the pipeline stops.",
    fix: "Write a number of layers in digits; 0 keeps all activations.",
    fires: { $model: "pipeline:2", pipeline: { activation_checkpoint_interval: "1" } },
    silent: { $model: "pipeline:2", pipeline: { activation_checkpoint_interval: 1 } },
  }),
  experts("expert-ranks", {
    about: "expert_parallel",
    check: (_, { model, world }) =>
      model.kind === "moe" && world % model.expertParallel !== 0
        ? `${model.expertParallel} expert-parallel ranks do not divide ${world} ranks`
        : null,
    why: "The ranks are split into groups that share the experts; otherwise some ranks would have no group.",
    fix: "Choose a number of expert-parallel ranks that divides all ranks.",
    fires: { $model: "moe:3" },
    silent: { $model: "moe:2" },
  }),
  experts("experts-contiguous", {
    about: "zero_optimization.contiguous_gradients",
    check: (settings, { model }) =>
      model.kind === "moe" && stageOf(settings) === 2 && !settings.zero.on("contiguous_gradients")
        ? "experts with ZeRO stage 2 need contiguous_gradients"
        : null,
    why: "Gradients of experts are gathered from one buffer. Other paths are untested with experts, and the engine refuses them.",
    fix: "Leave contiguous_gradients out, or write true.",
    fires: { $model: "moe:2", zero_optimization: { contiguous_gradients: false } },
    silent: { zero_optimization: { contiguous_gradients: false } },
  }),
  experts("experts-reduce-scatter", {
    about: "zero_optimization.reduce_scatter",
    check: (settings, { model }) =>
      model.kind === "moe" && [1, 2].includes(stageOf(settings)) && !settings.zero.on("reduce_scatter")
        ? "experts with ZeRO need reduce_scatter"
        : null,
    why: "Gradients of experts are summed by a reduce-scatter. Other paths are untested with experts, and the engine refuses them.",
    fix: "Leave reduce_scatter out, or write true.",
    fires: { $model: "moe:2", zero_optimization: { reduce_scatter: false } },
    silent: { zero_optimization: { reduce_scatter: false } },
  }),
  experts("experts-stage3", {
    about: "zero_optimization.stage",
    check: (settings, { model }) =>
      model.kind === "moe" && stageOf(settings) === 3
        ? "DeepSpeed's own MoE layers cannot be combined with ZeRO stage 3, only with 0, 1 and 2"
        : null,
    valid: ["0", "1", "2"],
    why: "Stage 3 can shard experts only if the expert_parallel section replaces the layers (AutoEP).",
    fix: "Set zero_optimization.stage to 2 or less, or let the expert_parallel section (AutoEP) create the layers.",
    fires: { $model: "moe:2", zero_optimization: { stage: 3 } },
    silent: { $model: "moe:2" },
  }),
  mesh("mesh", {
    about: ["data_parallel_size", "sequence_parallel_size"],
    check: ({ config }, { world }) => {
      const [data, sequence] = [config.get("data_parallel_size"), config.get("sequence_parallel_size")];
      if (data === undefined || sequence === undefined) return null;
      if (!Number.isInteger(data) || !Number.isInteger(sequence))
        return `data_parallel_size ${textOf(data)} and sequence_parallel_size ${textOf(sequence)} are not both whole numbers`;
      const ranks = Number(data) * Number(sequence);
      return ranks > 0 && ranks <= world
        ? null
        : `data_parallel_size ${textOf(data)} x sequence_parallel_size ${textOf(sequence)} = ${ranks}, but there are ${world} ranks`;
    },
    why: "Together, the two arrange all ranks in a grid, so their product must be the number of ranks.",
    fix: "Choose sizes whose product is the number of ranks, or leave data_parallel_size out.",
    fires: { data_parallel_size: 8, sequence_parallel_size: 2 },
    silent: { data_parallel_size: 4, sequence_parallel_size: 2 },
  }),
  ...Object.entries(choices).map(([name, valid]) =>
    autoEp(`experts-${name.replaceAll("_", "-")}`, {
      about: `expert_parallel.${name}`,
      check: ({ plain }) => {
        const value = plain(`expert_parallel.${name}`);
        return !truthy(plain("expert_parallel.enabled")) || value === undefined || valid.includes(String(value))
          ? null
          : `expert_parallel.${name} = ${textOf(value)} is not one of ${valid.join(", ")}`;
      },
      valid,
      why: "AutoEP replaces a model's MoE layers in a few fixed ways, and refuses any other word.",
      fix: `Write ${valid.join(", ")} for expert_parallel.${name}, or leave it out.`,
      fires: { expert_parallel: { enabled: true, [name]: "best" } },
      silent: { expert_parallel: { enabled: true, [name]: valid[0] } },
    }),
  ),
  autoEp("experts-preset", {
    about: "expert_parallel.preset_model",
    check: ({ plain }) => {
      const value = plain("expert_parallel.preset_model") ?? null;
      return !truthy(plain("expert_parallel.enabled")) || value === null || presets.includes(String(value))
        ? null
        : `expert_parallel.preset_model = ${textOf(value)} is not one of ${presets.join(", ")}`;
    },
    valid: presets,
    why: "A preset names the router and the experts of a family of models. With an unknown preset AutoEP cannot find the layers to replace.",
    fix: "Write a preset from `valid`, or leave preset_model out and name the parts of the layer.",
    fires: { expert_parallel: { enabled: true, preset_model: "llama" } },
    silent: { expert_parallel: { enabled: true, preset_model: "mixtral" } },
  }),
  autoEp("experts-size", {
    about: ["expert_parallel.autoep_size", "expert_parallel.expert_tensor_parallel_size"],
    check: ({ plain }, { world, model }) => {
      if (!truthy(plain("expert_parallel.enabled"))) return null;
      const size = plain("expert_parallel.autoep_size") ?? 1;
      if (!one(size)) return `expert_parallel.autoep_size = ${textOf(size)} is not a positive whole number`;
      const tensor = plain("expert_parallel.expert_tensor_parallel_size") ?? 1;
      if (tensor !== 1) return "expert_parallel.expert_tensor_parallel_size is not supported above 1";
      const ranks = model.kind === "pipeline" ? Math.floor(world / model.stages) : world;
      return ranks % Number(size) === 0
        ? null
        : `expert_parallel.autoep_size ${Number(size)} does not divide ${ranks} ranks`;
    },
    why: "The ranks of a stage are split into groups that share the experts; otherwise some ranks would have no group.",
    fix: "Set autoep_size to a divisor of the ranks, together with expert_tensor_parallel_size.",
    fires: { expert_parallel: { enabled: true, autoep_size: 3 } },
    silent: { expert_parallel: { enabled: true, autoep_size: 4 } },
  }),
  ...["validate_folding_routing", "async_split_plan"].map((name) =>
    autoEp(`experts-${name.replaceAll("_", "-")}`, {
      about: `expert_parallel.${name}`,
      check: ({ plain }) => {
        const value = plain(`expert_parallel.${name}`);
        return !truthy(plain("expert_parallel.enabled")) || value === undefined || typeof value === "boolean"
          ? null
          : `expert_parallel.${name} = ${textOf(value)} is not true or false`;
      },
      valid: ["true", "false"],
      why: "AutoEP accepts only true or false, not numbers or texts.",
      fix: `Write true or false for expert_parallel.${name}, without quotes.`,
      fires: { expert_parallel: { enabled: true, [name]: "true" } },
      silent: { expert_parallel: { enabled: true, [name]: true } },
    }),
  ),
  ...(["comm_num_sm", "comm_qp_margin", "comm_max_tokens_per_rank"] as const).map((name) =>
    autoEp(`experts-${name.replaceAll("_", "-")}`, {
      about: [`expert_parallel.${name}`, "expert_parallel.comm_backend"],
      check: ({ plain }) => {
        if (!truthy(plain("expert_parallel.enabled"))) return null;
        const value = plain(`expert_parallel.${name}`);
        const least = name === "comm_num_sm" ? 1 : 0;
        if (value !== undefined && !(isInt(value) && Number(value) >= least))
          return `expert_parallel.${name} = ${textOf(value)} is not a whole number of at least ${least}`;
        return name === "comm_max_tokens_per_rank" &&
          plain("expert_parallel.comm_backend") === "deepep" &&
          Number(value ?? 0) === 0
          ? "expert_parallel.comm_backend deepep needs comm_max_tokens_per_rank"
          : null;
      },
      why: "The number limits the part of the GPU (buffers, multiprocessors) that the exchange between experts may use. DeepEP cannot size its buffers without it.",
      fix: `Write expert_parallel.${name} as a whole number of at least ${name === "comm_num_sm" ? 1 : 0}; comm_backend deepep needs comm_max_tokens_per_rank above 0.`,
      fires: { expert_parallel: { enabled: true, [name]: -1 } },
      silent: { expert_parallel: { enabled: true, [name]: 8 } },
    }),
  ),
  autoEp("experts-groups", {
    about: ["expert_parallel.num_limited_groups", "expert_parallel.num_expert_groups"],
    check: ({ plain }) => {
      if (!truthy(plain("expert_parallel.enabled"))) return null;
      const [limited, all] = ["num_limited_groups", "num_expert_groups"].map(
        (name) => plain(`expert_parallel.${name}`) ?? null,
      );
      const few = [limited, all].find((each) => each !== null && !(Number(asNumber(each)) >= 1));
      if (few !== undefined) return `expert_parallel groups: ${textOf(few)} is not at least 1`;
      return limited !== null && all !== null && Number(asNumber(limited)) > Number(asNumber(all))
        ? `expert_parallel.num_limited_groups ${textOf(limited)} is more than num_expert_groups ${textOf(all)}`
        : null;
    },
    why: "A token chooses among a limited number of groups of experts, which cannot be more than all groups.",
    fix: "Set num_limited_groups to at most num_expert_groups.",
    fires: { expert_parallel: { enabled: true, num_limited_groups: 4, num_expert_groups: 2 } },
    silent: { expert_parallel: { enabled: true, num_limited_groups: 2, num_expert_groups: 4 } },
  }),
  autoEp("experts-fused", {
    about: ["expert_parallel.gate_up_impl", "expert_parallel.row_weighting_impl", "expert_parallel.combine_impl"],
    check: ({ plain }) => {
      const of = (name: string): Value | undefined => plain(`expert_parallel.${name}`);
      if (!truthy(of("enabled"))) return null;
      if (of("gate_up_impl") === "fused" && of("use_grouped_mm") !== undefined && !truthy(of("use_grouped_mm")))
        return "expert_parallel.gate_up_impl fused needs use_grouped_mm";
      const deepep = of("comm_backend") === "deepep";
      const wide = Number(asNumber(of("autoep_size") ?? 1)) > 1;
      if (of("row_weighting_impl") === "fused" && !(deepep && wide))
        return "expert_parallel.row_weighting_impl fused needs comm_backend deepep and autoep_size above 1";
      return of("combine_impl") === "fused_weighted_sum" && deepep && wide
        ? "expert_parallel.combine_impl fused_weighted_sum has no effect with comm_backend deepep"
        : null;
    },
    why: "Each fused form works with only one way of moving tokens; the engine refuses the others.",
    fix: "Follow the message, or use the unfused forms: gate_up_impl separate, row_weighting_impl auto, combine_impl auto.",
    fires: { expert_parallel: { enabled: true, gate_up_impl: "fused", use_grouped_mm: false } },
    silent: { expert_parallel: { enabled: true, gate_up_impl: "fused" } },
  }),
];
