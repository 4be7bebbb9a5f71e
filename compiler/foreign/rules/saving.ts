/** What a run leaves behind: too much for a disk, or nothing where it is needed. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { gigabytes, memoryOf, modelSize } from "../known/model-size.ts";
import { given, saidIn } from "../said.ts";
import { numberIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

/** Bytes of a checkpoint for each parameter: weights in 16 bits, a 32-bit copy and the two moments of Adam. */
const bytesPerParameter = 14;

/** Checkpoints that a launch writes and keeps, where it says both how often and how long. */
function kept(launch: Launch): { readonly count: number; readonly told: Told } | null {
  const said = saidIn(launch);
  const interval = toldIn(
    said,
    "save_interval",
    "save_steps",
    "checkpoint_factor",
    "checkpoints.checkpoint_interval",
  );
  const every = numberIn(said, "save_interval", "save_steps", "checkpoint_factor", "checkpoints.checkpoint_interval");
  const steps = numberIn(said, "train_iters", "max_steps", "tokens.train_steps");
  if (interval === undefined || every === null || every < 1 || steps === null || steps <= 0) return null;
  const limit = given(said, "save_total_limit", "keep_last_n_checkpoints", "save_retain_interval", "save_only_model");
  return limit === undefined ? { count: Math.floor(steps / every), told: interval } : null;
}

const large =
  '{ "model_type": "llama", "architectures": ["L"], "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 28672, "vocab_size": 128256 }';
const base = "output_dir: out\nper_device_train_batch_size: 1\nmax_steps: 10000\nsave_steps: 100\n";

export const savingRules: readonly ForeignRule[] = [
  rule({
    name: "checkpoint-space",
    severity: "warning",
    source:
      "ZeRO (arXiv 1910.02054), section 3.1; megatron/training/checkpointing.py and transformers/trainer.py delete nothing by default",
    why: "A checkpoint with its optimizer has 14 bytes per parameter, and none is deleted unless a limit is set: a full disk ends the run, often in the middle of a file. How much space is free is known only on the machine.",
    fix: "Limit how many checkpoints are kept (save_total_limit), or save less often.",
    check: (launch) => {
      const model = modelSize(launch);
      const all = kept(launch);
      if (model === null || all === null) return [];
      const one = model.parameters * bytesPerParameter;
      if (one * all.count < 5e12) return [];
      return [
        {
          span: all.told.span,
          message: `${all.count} checkpoints of about ${gigabytes(one)} are kept: ${(one * all.count * 1e-12).toFixed(0)} TB`,
          ...nearby("the model", model.span),
        },
      ];
    },
    fires: { "args.yaml": base, "config.json": large },
    silent: { "args.yaml": `${base}save_total_limit: 3\n`, "config.json": large },
  }),
  rule({
    name: "requeue-unsaved",
    severity: "warning",
    source:
      "sbatch(1): --requeue; megatron/training/training.py: save_interval; transformers/trainer_callback.py: DefaultFlowCallback",
    why: "A restarted job continues from its last checkpoint. A job that saves only on request has none after a node failure, which comes without a request.",
    fix: "Also save at an interval: --save-interval N or save_steps.",
    check: (launch) => {
      const said = saidIn(launch);
      const none = saysNever(said.get("save_strategy"));
      const places = launch.runs.flatMap(({ script, options }): readonly Told[] => {
        const again = script.directives.get("requeue") ?? script.directives.get("signal");
        const signalled = toldIn(options, "exit_signal_handler");
        if (signalled !== undefined && options.has("save") && !options.has("save_interval")) return [signalled];
        return again !== undefined && none !== undefined ? [none] : [];
      });
      const callbacks = launch.documents.flatMap(({ root }) => onlyWhenStopped(root));
      return [
        ...new Map(places.map(({ span }) => [`${span.source.path}${span.start}`, span])).values(),
        ...callbacks,
      ].map((span) => ({
        span,
        message: "checkpoints are written only when the run is asked to stop: a node failure loses everything",
      }));
    },
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --requeue\nsrun torchrun pretrain_gpt.py --save out --exit-signal-handler --load out\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --requeue\nsrun torchrun pretrain_gpt.py --save out --save-interval 500 --exit-signal-handler --load out\n",
    },
  }),
  rule({
    name: "gather-on-save",
    severity: "warning",
    source: "deepspeed/runtime/engine.py: _zero3_consolidated_16bit_state_dict, save_16bit_model",
    why: "`stage3_gather_16bit_weights_on_model_save` gathers the whole model on one rank at every save. Newer versions move it to that host's memory module by module, older ones hold it on the GPU.",
    fix: "Set stage3_gather_16bit_weights_on_model_save to false and merge the parts afterwards with zero_to_fp32.py.",
    check: (launch) => {
      const [memory, model] = [memoryOf(launch.supplied.gpu), modelSize(launch)];
      if (model === null) return [];
      const whole = model.parameters * 2;
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const section = at(root, "zero_optimization");
        const node = [
          "stage3_gather_16bit_weights_on_model_save",
          "stage3_gather_fp16_weights_on_model_save",
          "gather_16bit_weights_on_model_save",
        ]
          .map((key) => at(section, key))
          .find((each) => scalarOf(each) === true);
        if (node === undefined || scalarOf(at(section, "stage")) !== 3) return [];
        if (memory === null ? whole < 40e9 : whole <= memory) return [];
        const compared = memory === null ? "" : `, more than the ${Math.round(memory / 2 ** 30)} GB of a GPU`;
        return [
          {
            span: node.span,
            message: `every save gathers ${gigabytes(whole)} of weights on one rank${compared}`,
            ...nearby("the model", model.span),
          },
        ];
      });
    },
    fires: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 3, "stage3_gather_16bit_weights_on_model_save": true } }',
      "config.json": large,
    },
    silent: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 3, "stage3_gather_16bit_weights_on_model_save": false } }',
      "config.json": large,
    },
  }),
];

const saysNever = (told: Told | undefined): Told | undefined =>
  told !== undefined && ["no", "false"].includes(String(told.value).toLowerCase()) ? told : undefined;

/** A callback that saves every so many steps, with no number of steps. */
function onlyWhenStopped(root: Parameters<typeof at>[0]): readonly Told["span"][] {
  if (root?.kind === "list") return root.items.flatMap(onlyWhenStopped);
  if (root?.kind !== "map") return [];
  return root.entries.flatMap(({ key, value }) =>
    key === "checkpoint_every_n_steps" && scalarOf(value) === null ? [value.span] : onlyWhenStopped(value),
  );
}
