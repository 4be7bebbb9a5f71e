/** A Trainer whose data has no end. */
import { numberIn, switchIn, toldIn } from "../../settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

export const trainerStreamingRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-streaming",
    source:
      "transformers/trainer.py: Trainer.__init__ (`train_dataset does not implement __len__, max_steps has to be specified`)",
    why: "A streamed dataset has no length, but the schedule needs to know the last step: the Trainer stops when it is created.",
    fix: "Set max_steps to the number of steps, or leave streaming out.",
    check: withTrainer((trainer, launch): readonly Found[] => {
      // Their own rules speak of these.
      if (["llama-factory", "axolotl"].some((kind) => launch.documents.some((each) => each.kind === kind))) return [];
      if (trainer.has("finetuning_type") || launch.runs.some(({ open }) => open)) return [];
      const told = toldIn(trainer, "streaming", "dataset_streaming");
      const steps = toldIn(trainer, "max_steps");
      if (
        told === undefined ||
        switchIn(trainer, "streaming", "dataset_streaming") !== true ||
        steps?.known === false
      )
        return [];
      if ((numberIn(trainer, "max_steps") ?? 0) > 0 || switchIn(trainer, "do_train") === false) return [];
      return [{ span: told.nameSpan, message: "a streamed dataset needs max_steps" }];
    }),
    fires: { "args.yaml": yaml("streaming: true\n") },
    silent: { "args.yaml": yaml("streaming: true\nmax_steps: 1000\n") },
  }),
];
