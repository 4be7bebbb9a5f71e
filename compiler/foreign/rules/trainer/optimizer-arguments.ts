/** Arguments of the Trainer's optimizer that come as one text. */
import { documentsOf } from "../../launch.ts";
import { toldIn } from "../../settings.ts";
import { rule, type ForeignRule } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";
import { isFilledIn } from "./value-text.ts";

export const trainerOptimizerArgumentRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-optimizer-arguments",
    source: "transformers/trainer_optimizer.py: _parse_optim_args",
    why: "The Trainer divides `optim_args` at its commas and each part at its equals sign, whatever the optimizer, and stops with a ValueError if a part is not one name and one value.",
    fix: "Write name=value, with commas between several: rank=8,scale=0.25.",
    check: withTrainer((trainer, launch) => {
      const told = toldIn(trainer, "optim_args");
      // Axolotl has optimizers of its own, which read it themselves.
      if (told === undefined || !told.known || typeof told.value !== "string" || documentsOf(launch, "axolotl").length > 0)
        return [];
      const { value, span } = told;
      if (value === "" || isFilledIn(value)) return [];
      const wrong = value
        .replaceAll(" ", "")
        .split(",")
        .find((part) => part.split("=").length !== 2);
      return wrong === undefined
        ? []
        : [{ span, message: `optim_args has ${wrong === "" ? "an empty part" : wrong}, which is not name=value` }];
    }),
    fires: { "args.yaml": yaml("optim: galore_adamw\noptim_args: rank\n") },
    silent: { "args.yaml": yaml("optim: galore_adamw\noptim_args: rank=64, scale=0.1\n") },
  }),
];
