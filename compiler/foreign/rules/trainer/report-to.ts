/** `report_to: null` means all loggers to transformers 4, and is a logger that nobody knows to transformers 5. */
import { below } from "../../../engines/release.ts";
import { pinnedRelease } from "../../known/trainer-versions.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

/** Axolotl makes its own list. */
const isPassedOn = (launch: Launch): boolean => documentsOf(launch, "axolotl").length === 0;

export const trainerReportRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-report-to",
    source:
      "transformers/training_args.py: TrainingArguments.__post_init__; integrations/integration_utils.py: get_reporting_integration_callbacks",
    why: "A null in a file replaces the option's default. Before release 5, transformers takes it for every logger that is installed; since then it becomes a list with nothing but None in it, and the Trainer stops with `None is not supported`.",
    fix: "Write `none` for no logger, `all` for every installed one, or the loggers by name.",
    check: withTrainer((trainer, launch): readonly Found[] => {
      const told = trainer.get("report_to");
      if (told === undefined || !told.known || told.value !== null || !isPassedOn(launch)) return [];
      const release = pinnedRelease(launch, "transformers");
      const isOld = release !== null && below(release.version, "5.0");
      return [
        {
          span: told.span,
          // Which release there is decides it, where no file names one.
          severity: isOld ? "info" : release === null ? "warning" : "error",
          message: isOld
            ? `report_to is null, which means every installed logger to transformers ${release.version}`
            : "report_to is null, which transformers refuses since 5.0",
          valid: ["none", "all"],
          ...nearby("the release", release?.span),
        },
      ];
    }),
    fires: { "args.yaml": yaml("report_to: null\n") },
    silent: { "args.yaml": yaml("report_to: none\n") },
  }),
];
