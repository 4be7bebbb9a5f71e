/** A training without a step. */
import { numberIn, switchIn, toldIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

export const trainerEpochRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-no-epochs",
    severity: "warning",
    source: "transformers/trainer.py: Trainer.set_initial_training_values",
    why: "With no epoch and no number of steps the Trainer loads everything, reports a loss of 0 after no step, and saves the model as it was.",
    fix: "Set num_train_epochs above 0, or max_steps to the number of steps; for an evaluation alone, set do_eval.",
    check: withTrainer((trainer) => {
      const [told, epochs] = [toldIn(trainer, "num_train_epochs"), numberIn(trainer, "num_train_epochs")];
      const steps = toldIn(trainer, "max_steps");
      const isElse = ["do_eval", "do_predict"].some((name) => switchIn(trainer, name) === true);
      if (told?.known !== true || epochs === null || epochs > 0 || isElse || switchIn(trainer, "do_train") === false)
        return [];
      if (steps !== undefined && (!steps.known || (numberIn(trainer, "max_steps") ?? 1) > 0)) return [];
      return [
        {
          span: told.span,
          message: `num_train_epochs ${epochs} trains nothing`,
          ...nearby("no number of steps either", steps?.span),
        },
      ];
    }),
    fires: { "args.yaml": yaml("num_train_epochs: 0\n") },
    silent: { "args.yaml": yaml("num_train_epochs: 0\nmax_steps: 100\n") },
  }),
];
