/** How a run of Megatron Bridge is scheduled, divided, evaluated and watched. */
import { at, entryOf, numberAt, scalarOf } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { each, base, ranksOf } from "./bridge.ts";

export const bridgeRunRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-schedule",
    source: "megatron/bridge/training/config.py: TrainingConfig.finalize, ConfigContainer.validate (scheduler)",
    why: "A batch ramp-up needs a run that counts iterations, and a decay has at least one step; `max_steps` is the length of the whole schedule, of which a run takes the first iterations. A warm-up as long as the schedule stops older releases; newer ones shorten it.",
    fix: "Remove rampup_batch_size with train_samples, set the decay to at least 1 step and max_steps to at least train_iters, and let the warm-up end before them.",
    check: each((root) => {
      const ramp = entryOf(at(root, "train"), "rampup_batch_size");
      const other = ["train_samples", "num_epochs"]
        .flatMap((name) => entryOf(at(root, "train"), name) ?? [])
        .find(({ value }) => scalarOf(value) !== null);
      const found: Found[] = [];
      if (ramp !== undefined && scalarOf(ramp.value) !== null && other !== undefined)
        found.push({
          span: ramp.keySpan,
          message: `rampup_batch_size cannot be combined with ${other.key}`,
          ...nearby("the run", other.keySpan),
        });
      const decay = at(root, "scheduler", "lr_decay_iters");
      for (const name of ["lr_decay_iters", "lr_decay_samples", "max_steps"]) {
        const node = at(root, "scheduler", name);
        if (node !== undefined && (numberAt(node) ?? 1) <= 0)
          found.push({ span: node.span, message: `${name} ${numberAt(node)} is not above 0` });
      }
      const [most, iterations] = [at(root, "scheduler", "max_steps"), at(root, "train", "train_iters")];
      const [steps, asked] = [numberAt(most), numberAt(iterations)];
      if (most !== undefined && steps !== null && steps > 0 && asked !== null && steps < asked)
        found.push({
          span: most.span,
          message: `max_steps ${steps} is less than the ${asked} iterations of the run`,
          ...nearby("the run", iterations?.span),
        });
      const warmup = at(root, "scheduler", "lr_warmup_iters");
      const length = decay ?? at(root, "train", "train_iters");
      const [rising, all] = [numberAt(warmup), numberAt(length)];
      if (warmup !== undefined && rising !== null && all !== null && all > 0 && rising >= all)
        found.push({
          severity: "warning",
          span: warmup.span,
          message: `the warm-up takes ${rising} iterations, but the schedule has only ${all}`,
          ...nearby("the schedule", length?.span),
        });
      return found;
    }),
    fires: { "b.yaml": `${base}train:\n  train_samples: 100\n  rampup_batch_size: [8, 8, 100]\n` },
    silent: { "b.yaml": `${base}train:\n  train_iters: 100\n  rampup_batch_size: [8, 8, 100]\n` },
  }),
  rule({
    name: "bridge-offloading",
    source:
      "megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (cpu_offloading); transformer_engine/pytorch/cpu_offload.py: get_cpu_offload_context",
    why: "Activations, weights or both can be offloaded to the host. It works with a single pipeline stage, and without recomputation.",
    fix: "Set cpu_offloading_activations or cpu_offloading_weights to true, without recompute_granularity and pipeline stages; or set cpu_offloading to false.",
    check: each((root) => {
      const model = at(root, "model");
      const offload = at(model, "cpu_offloading");
      if (offload === undefined || scalarOf(offload) !== true) return [];
      const found: Found[] = [];
      const [activations, weights] = [at(model, "cpu_offloading_activations"), at(model, "cpu_offloading_weights")];
      if (scalarOf(activations) === false && scalarOf(weights) === false)
        found.push({
          span: offload.span,
          message: "cpu_offloading is on, but neither activations nor weights are offloaded",
        });
      const stages = at(model, "pipeline_model_parallel_size");
      if (stages !== undefined && (numberAt(stages) ?? 1) > 1)
        found.push({
          span: stages.span,
          message: `cpu_offloading cannot be combined with ${numberAt(stages)} pipeline stages`,
          valid: ["1"],
          ...nearby("offloading", offload.span),
        });
      const again = at(model, "recompute_granularity");
      if (again !== undefined && typeof scalarOf(again) === "string" && scalarOf(again) !== "")
        found.push({
          span: again.span,
          message: "cpu_offloading cannot be combined with recompute_granularity",
          valid: ["null"],
          ...nearby("offloading", offload.span),
        });
      return found;
    }),
    fires: {
      "b.yaml": `${base}  cpu_offloading: true\n  cpu_offloading_activations: false\n  cpu_offloading_weights: false\n`,
    },
    silent: { "b.yaml": `${base}  cpu_offloading: true\n  cpu_offloading_weights: false\n` },
  }),
  rule({
    name: "bridge-profiling",
    source: "megatron/bridge/training/config.py: ProfilingConfig.finalize",
    why: "Only one profiler runs at a time, over steps that begin at 0 or later and end after they begin.",
    fix: "Keep one profiler, with profile_step_start of at least 0 and profile_step_end after it.",
    check: each((root) => {
      const section = at(root, "profiling");
      const [torch, nsys] = [at(section, "use_pytorch_profiler"), at(section, "use_nsys_profiler")];
      const [start, end] = [at(section, "profile_step_start"), at(section, "profile_step_end")];
      const found: Found[] = [];
      if (torch !== undefined && nsys !== undefined && scalarOf(torch) === true && scalarOf(nsys) === true)
        found.push({
          span: nsys.span,
          message: "two profilers are on",
          valid: ["false"],
          ...nearby("the other", torch.span),
        });
      const [first, last] = [numberAt(start), numberAt(end)];
      if (start !== undefined && first !== null && first < 0)
        found.push({ span: start.span, message: `profile_step_start ${first} is below 0` });
      if (end !== undefined && first !== null && last !== null && last < first)
        found.push({
          span: end.span,
          message: `profiling ends at step ${last}, before it begins at ${first}`,
          ...nearby("the start", start?.span),
        });
      return found;
    }),
    fires: { "b.yaml": `${base}profiling:\n  profile_step_start: 20\n  profile_step_end: 10\n` },
    silent: { "b.yaml": `${base}profiling:\n  profile_step_start: 10\n  profile_step_end: 20\n` },
  }),
  rule({
    name: "bridge-evaluation",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate (eval_global_batch_size)",
    why: "A batch, for training or evaluation, must be a multiple of its micro-batch x data-parallel ranks.",
    fix: "Set the batch in the message to a multiple of its micro-batch x data-parallel ranks.",
    check: each((root, launch) => {
      const world = ranksOf(root, launch);
      const names = ["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"];
      const product = names.reduce((all, name) => all * Math.max(1, numberAt(at(root, "model", name)) ?? 1), 1);
      const ranks = world.size === null ? null : world.size / product;
      return ["", "eval_"].flatMap((prefix): readonly Found[] => {
        const section = at(root, prefix === "" ? "train" : "validation") ?? at(root, "train");
        const total = at(section, `${prefix}global_batch_size`);
        const micro = numberAt(at(section, `${prefix}micro_batch_size`) ?? at(root, "train", "micro_batch_size"));
        const size = numberAt(total);
        if (total === undefined || size === null || micro === null || ranks === null || !Number.isInteger(ranks))
          return [];
        return size % (micro * ranks) === 0
          ? []
          : [
              {
                span: total.span,
                message: `${prefix}global_batch_size ${size} is not a multiple of ${micro} samples x ${ranks} data-parallel ranks`,
                valid: [String(Math.ceil(size / (micro * ranks)) * micro * ranks)],
                ...nearby("ranks", world.said[0]?.span),
              },
            ];
      });
    }),
    fires: {
      "b.yaml": `${base}train:\n  global_batch_size: 15\n  micro_batch_size: 1\n`,
      "run.sh": "torchrun --nproc-per-node=8 run.py b.yaml\n",
    },
    silent: {
      "b.yaml": `${base}train:\n  global_batch_size: 16\n  micro_batch_size: 1\n`,
      "run.sh": "torchrun --nproc-per-node=8 run.py b.yaml\n",
    },
  }),
  rule({
    name: "bridge-environment",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate (env_vars)",
    why: "An environment variable has a name and a single value: a text, a number, true or false.",
    fix: "Give each variable one value: a text, a number, true or false.",
    check: each((root) => {
      const section = at(root, "env_vars") ?? at(root, "dist", "env_vars");
      if (section?.kind !== "map") return [];
      return section.entries.flatMap(({ key, keySpan, value }): readonly Found[] =>
        key.trim() === ""
          ? [{ span: keySpan, message: "an environment variable has no name" }]
          : value.kind === "scalar" || value.kind === "unknown"
            ? []
            : [
                {
                  span: keySpan,
                  message: `${key} takes a single value, not ${value.kind === "list" ? "a list" : "a section"}`,
                },
              ],
      );
    }),
    fires: { "b.yaml": `${base}env_vars:\n  NCCL_DEBUG: [INFO]\n` },
    silent: { "b.yaml": `${base}env_vars:\n  NCCL_DEBUG: INFO\n` },
  }),
];
