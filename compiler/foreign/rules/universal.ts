/** A universal checkpoint is found by a file that its conversion writes. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { saidIn } from "../said.ts";
import { switchIn, toldIn } from "../settings.ts";
import { resumed } from "./saved.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const config =
  '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2 }, "checkpoint": { "load_universal": true } }';
const run =
  "deepspeed --num_gpus 4 train.py --deepspeed ds.json --output_dir out --per_device_train_batch_size 1 --resume_from_checkpoint out/checkpoint-100\n";

/** What asks for it: the configuration, or the option of Megatron-DeepSpeed. */
function asked(launch: Launch) {
  const written = documentsOf(launch, "deepspeed")
    .map(({ root }) => at(root, "checkpoint", "load_universal"))
    .find((node) => scalarOf(node) === true);
  const said = saidIn(launch);
  return switchIn(said, "universal_checkpoint") === true
    ? toldIn(said, "universal_checkpoint")?.nameSpan
    : written?.span;
}

export const universalRules: readonly ForeignRule[] = [
  rule({
    name: "checkpoint-universal",
    source: "deepspeed/runtime/engine.py: DeepSpeedEngine.load_checkpoint",
    why: "With load_universal, DeepSpeed looks for the name of the checkpoint in the file `latest_universal`, which ds_to_universal writes, and stops where there is none. The `latest` of a plain checkpoint is not read.",
    fix: "Convert the checkpoint with ds_to_universal into the same folder, or remove load_universal.",
    check: (launch): readonly Found[] => {
      const span = asked(launch);
      const told = span === undefined ? undefined : resumed(launch);
      if (told === undefined || typeof told.value !== "string") return [];
      const names = launch.beside.names(told.value.replace(/\/+$/, ""), told.span.source);
      // A folder of several checkpoints is not the one that is loaded.
      if (names === undefined || names.includes("latest_universal") || !names.includes("latest")) return [];
      return [
        {
          span: told.span,
          message: `${told.value} is no universal checkpoint: it has no latest_universal`,
          ...nearby("asked for here", span),
        },
      ];
    },
    fires: { "ds.json": config, "run.sh": run, "out/checkpoint-100/latest": "global_step100" },
    silent: {
      "ds.json": config,
      "run.sh": run,
      "out/checkpoint-100/latest": "global_step100",
      "out/checkpoint-100/latest_universal": "global_step100_universal",
    },
  }),
];
