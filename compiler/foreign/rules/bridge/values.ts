/** What Megatron Bridge takes for the precision, the epochs, the overlap and the watching of a run. */
import { at, entryOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { base, each } from "./bridge.ts";

const on = (node: Located | undefined): boolean => scalarOf(node) === true;

/** `get_mixed_precision_config` knows no other; a hyphen counts as an underscore. */
const recipes = [
  ...["bf16", "fp16"].flatMap((format) => [
    `${format}_mixed`,
    ...["fp8_delayed_scaling", "mxfp8", "fp8_current_scaling", "fp8_subchannel_scaling"].map(
      (narrow) => `${format}_with_${narrow}_mixed`,
    ),
  ]),
  ...["bf16_with_nvfp4_mixed", "nemotron_h_bf16_with_fp8_current_scaling_mixed"],
  ...["nanov2_bf16_with_fp8_current_scaling_mixed", "nemotron_3_super_bf16_with_nvfp4_mixed"],
];

export const bridgeValueRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-precision-recipe",
    source: "megatron/bridge/training/mixed_precision.py: get_mixed_precision_config",
    why: "A name instead of a section selects a precision recipe from a fixed list. An unknown one stops the launch once every rank has started.",
    fix: "Write a recipe from `valid`, or a section with the formats.",
    check: each((root) => {
      const node = at(root, "mixed_precision");
      const name = scalarOf(node);
      if (node === undefined || typeof name !== "string" || recipes.includes(name.replaceAll("-", "_"))) return [];
      return [{ span: node.span, message: `there is no precision recipe ${name}`, valid: recipes }];
    }),
    fires: { "b.yaml": `${base}mixed_precision: bf16_mixt\n` },
    silent: { "b.yaml": `${base}mixed_precision: bf16-mixed\n` },
  }),
  rule({
    name: "bridge-precision",
    source: "megatron/bridge/training/config.py: _validate_mixed_precision_consistency",
    why: "Model and optimizer each set their 16-bit format: one of the two, and with the precision-aware optimizer the same one. Otherwise the master weights would be made for a format that the gradients do not have.",
    fix: "Set either bf16 or fp16, the same in model and optimizer.",
    check: each((root) => {
      const found: Found[] = [];
      for (const name of ["model", "optimizer"]) {
        const [bf16, fp16] = [at(root, name, "bf16"), at(root, name, "fp16")];
        if (on(bf16) && on(fp16) && fp16 !== undefined)
          found.push({
            span: fp16.span,
            message: `${name}.bf16 and ${name}.fp16 are both on`,
            valid: ["false"],
            ...nearby("the other", bf16?.span),
          });
      }
      if (!on(at(root, "optimizer", "use_precision_aware_optimizer"))) return found;
      for (const format of ["bf16", "fp16"]) {
        const [model, optimizer] = [at(root, "model", format), at(root, "optimizer", format)];
        if (model === undefined || optimizer === undefined || on(model) === on(optimizer)) continue;
        found.push({
          span: optimizer.span,
          message: `use_precision_aware_optimizer needs optimizer.${format} ${String(on(model))}, as in the model`,
          valid: [String(on(model))],
          ...nearby("the model", model.span),
        });
      }
      return found;
    }),
    fires: { "b.yaml": `${base}  bf16: true\n  fp16: true\n` },
    silent: { "b.yaml": `${base}  bf16: true\n  fp16: false\n` },
  }),
  rule({
    name: "bridge-epochs",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate (num_epochs)",
    why: "Epochs need a dataset of known size: a fine-tuning set, read batch by batch. Other datasets produce as many samples as a run needs and have no end.",
    fix: "Set the length with train.train_iters, or use fine-tuning data (GPTSFTDatasetConfig) with dataloader_type: batch.",
    check: each((root) => {
      const epochs = entryOf(at(root, "train"), "num_epochs");
      if (epochs === undefined || scalarOf(epochs.value) === null) return [];
      const [target, loader] = [at(root, "dataset", "_target_"), at(root, "dataset", "dataloader_type")];
      const kind = scalarOf(target);
      const found: Found[] = [];
      if (target !== undefined && typeof kind === "string" && !kind.endsWith("SFTDatasetConfig"))
        found.push({
          span: epochs.keySpan,
          message: `num_epochs needs fine-tuning data, but ${kind.split(".").at(-1)} has no end`,
          ...nearby("the data", target.span),
        });
      if (loader !== undefined && scalarOf(loader) !== "batch")
        found.push({
          span: loader.span,
          message: `num_epochs needs dataloader_type batch, not ${String(scalarOf(loader))}`,
          valid: ["batch"],
          ...nearby("the epochs", epochs.keySpan),
        });
      return found;
    }),
    fires: { "b.yaml": `${base}train:\n  num_epochs: 2\ndataset:\n  dataloader_type: cyclic\n` },
    silent: { "b.yaml": `${base}train:\n  num_epochs: 2\ndataset:\n  dataloader_type: batch\n` },
  }),
  rule({
    name: "bridge-straggler",
    source: "megatron/bridge/training/config.py: NVRxStragglerDetectionConfig.finalize",
    why: "Slow GPUs are detected by scores, relative to the others or to their own past, at an interval in seconds; a threshold is a share between 0 and 1.",
    fix: "Enable calc_relative_gpu_perf or calc_individual_gpu_perf, with report_time_interval above 0 and thresholds between 0 and 1.",
    check: each((root) => {
      const section = at(root, "nvrx_straggler");
      if (!on(at(section, "enabled"))) return [];
      const [relative, individual] = [at(section, "calc_relative_gpu_perf"), at(section, "calc_individual_gpu_perf")];
      const interval = at(section, "report_time_interval");
      const found: Found[] = [];
      if (relative !== undefined && scalarOf(relative) === false && scalarOf(individual) === false)
        found.push({ span: relative.span, message: "straggler detection has no score enabled", valid: ["true"] });
      if (interval !== undefined && (numberAt(interval) ?? 1) <= 0)
        found.push({ span: interval.span, message: `report_time_interval ${numberAt(interval)} is not above 0` });
      for (const kind of ["relative", "individual"]) {
        const threshold = at(section, `gpu_${kind}_perf_threshold`);
        const share = numberAt(threshold);
        if (threshold !== undefined && share !== null && (share < 0 || share > 1))
          found.push({ span: threshold.span, message: `gpu_${kind}_perf_threshold ${share} is not between 0 and 1` });
      }
      return found;
    }),
    fires: { "b.yaml": `${base}nvrx_straggler:\n  enabled: true\n  gpu_relative_perf_threshold: 70\n` },
    silent: { "b.yaml": `${base}nvrx_straggler:\n  enabled: true\n  gpu_relative_perf_threshold: 0.7\n` },
  }),
  rule({
    name: "bridge-logger",
    source: "megatron/bridge/training/config.py: LoggerConfig.finalize",
    why: "MLflow and Comet file each run under its own name. Bridge stops if an experiment or a project is named but the run is not.",
    fix: "Add logger.mlflow_run_name (logger.comet_experiment_name for Comet), or remove the experiment.",
    check: each((root) =>
      (
        [
          ["mlflow_experiment", "mlflow_run_name"],
          ["comet_project", "comet_experiment_name"],
        ] as const
      ).flatMap(([asks, needs]): readonly Found[] => {
        const place = entryOf(at(root, "logger"), asks);
        const name = scalarOf(at(root, "logger", needs));
        const isNamed = name !== undefined && name !== null && name !== "";
        return place === undefined || !scalarOf(place.value) || isNamed
          ? []
          : [{ span: place.keySpan, message: `${asks} needs ${needs}` }];
      }),
    ),
    fires: { "b.yaml": `${base}logger:\n  mlflow_experiment: tries\n` },
    silent: { "b.yaml": `${base}logger:\n  mlflow_experiment: tries\n  mlflow_run_name: first\n` },
  }),
  rule({
    name: "bridge-expert-overlap",
    source:
      "megatron/bridge/training/comm_overlap.py: CommOverlapConfig (overlap_moe_expert_parallel_comm, delay_wgrad_compute)",
    why: "The exchange of tokens between experts is overlapped with the work of another micro-batch, layer by layer. This needs expert parallelism, and cannot be combined with full recomputation or with a pipeline without virtual stages.",
    fix: "Set expert_model_parallel_size above 1, moe_token_dispatcher_type to alltoall or flex, virtual stages in a pipeline, and no full recomputation; or set overlap_moe_expert_parallel_comm to false.",
    check: each((root) => {
      const overlap = at(root, "comm_overlap", "overlap_moe_expert_parallel_comm");
      const delay = at(root, "comm_overlap", "delay_wgrad_compute");
      const model = (name: string): Located | undefined => at(root, "model", name);
      if (
        on(delay) &&
        delay !== undefined &&
        scalarOf(overlap) === false &&
        !on(model("overlap_moe_expert_parallel_comm"))
      )
        return [{ span: delay.span, message: "delay_wgrad_compute needs overlap_moe_expert_parallel_comm" }];
      if (overlap === undefined || !on(overlap)) return [];
      const wrong: readonly (readonly [string, (node: Located) => boolean, string])[] = [
        ["expert_model_parallel_size", (node) => numberAt(node) === 1, "needs expert parallelism"],
        [
          "moe_token_dispatcher_type",
          (node) => scalarOf(node) === "allgather",
          "needs the alltoall or flex dispatcher",
        ],
        ["recompute_granularity", (node) => scalarOf(node) === "full", "cannot be combined with full recomputation"],
        ["moe_shared_expert_overlap", on, "cannot be combined with moe_shared_expert_overlap"],
        ["mtp_num_layers", (node) => (numberAt(node) ?? 0) > 1, "works with at most one prediction layer"],
        [
          "virtual_pipeline_model_parallel_size",
          (node) => scalarOf(node) === null && (numberAt(model("pipeline_model_parallel_size")) ?? 1) > 1,
          "needs virtual stages in a pipeline",
        ],
      ];
      return wrong.flatMap(([name, isWrong, says]): readonly Found[] => {
        const node = model(name);
        return node === undefined || !isWrong(node)
          ? []
          : [
              {
                span: node.span,
                message: `overlap_moe_expert_parallel_comm ${says}`,
                ...nearby("requested here", overlap.span),
              },
            ];
      });
    }),
    fires: {
      "b.yaml": `${base}  expert_model_parallel_size: 1\ncomm_overlap:\n  overlap_moe_expert_parallel_comm: true\n`,
    },
    silent: {
      "b.yaml": `${base}  expert_model_parallel_size: 2\ncomm_overlap:\n  overlap_moe_expert_parallel_comm: true\n`,
    },
  }),
];
