/** Options of the Trainer whose value is one of a list. */
import { distance } from "fastest-levenshtein";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { inTable } from "../../../../dsl/in-table.ts";
import { trainerWords } from "../../known/trainer-versions.ts";
import { textIn, type Settings } from "../../settings.ts";
import table from "./choices.json" with { type: "json" };
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";
import { isFilledIn } from "./value-text.ts";

/** Values that earlier versions took. */
const isEarlier = (name: string, value: string): boolean =>
  inTable(inTable(trainerWords, name)?.went, value) !== undefined;

/** `debug` takes several words at once, and a list in a file has been joined by commas. */
function wordsIn(name: string, value: string, { source, start, end }: Span): readonly string[] {
  if (name === "debug") return value.split(/\s+/).filter((word) => word !== "");
  return source.text.slice(start, end).includes(value) ? [value] : value.split(",");
}

/** accelerate reads the backend in any case. */
const read = (name: string, value: string): string =>
  name === "torch_compile_backend" ? value.toLowerCase() : value;

/** Only inductor has modes. */
const isUnread = (name: string, trainer: Settings): boolean =>
  name === "torch_compile_mode" && (textIn(trainer, "torch_compile_backend") ?? "inductor").toLowerCase() !== "inductor";

const options: readonly (readonly [name: string, values: readonly string[]])[] = Object.entries(table.choices)
  .flatMap(
    ([name, values]) =>
      (name === "eval_strategy"
        ? [
            [name, values],
            ["evaluation_strategy", values],
          ]
        : [[name, values]]) as [string, string[]][],
  );

/** Near enough to be meant: a third of its letters at most. */
const nearest = (value: string, values: readonly string[]): string | null => {
  const [best] = values
    .map((each) => ({ each, apart: distance(each, value.toLowerCase()) }))
    .toSorted((a, b) => a.apart - b.apart);
  return best !== undefined && best.apart <= Math.max(1, Math.floor(value.length / 3)) ? best.each : null;
};

export const trainerChoiceRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-choice",
    source: `transformers ${table.version}: training_args.py (OptimizerNames), trainer_utils.py (SchedulerType, IntervalStrategy, SaveStrategy, HubStrategy), integrations/integration_utils.py (get_reporting_integration_callbacks); accelerate/utils/dataclasses.py (DynamoBackend)`,
    why: "The Trainer accepts only the words that it knows and stops with a ValueError on every rank for any other.",
    fix: "Write one of the words that `valid` lists.",
    check: withTrainer((trainer) =>
      options.flatMap(([name, values]): readonly Found[] => {
        const told = trainer.get(name);
        // Axolotl has schedulers of its own.
        if (told === undefined || !told.known || typeof told.value !== "string" || told.name === "lr_scheduler")
          return [];
        const { span } = told;
        const value = wordsIn(name, told.value, span).find(
          (word) => !values.includes(read(name, word)) && !isEarlier(name, word),
        );
        if (value === undefined || value === "" || isFilledIn(value) || isUnread(name, trainer)) return [];
        const meant = nearest(value, values);
        const start = span.start + span.source.text.slice(span.start, span.end).lastIndexOf(value);
        const place = { ...span, start, end: start + value.length };
        return [
          {
            span,
            // A program may take words of its own under the same name.
            severity: meant === null ? "warning" : "error",
            message: `${name} takes no ${value}${meant === null ? "" : `: ${meant} is one`}`,
            valid: values,
            ...(meant === null || start < span.start ? {} : { fixes: [replacement(place, meant)] }),
          },
        ];
      }),
    ),
    fires: { "args.yaml": yaml("optim: adamw_torch_fusedd\n") },
    silent: { "args.yaml": yaml("optim: adamw_torch_fused\n") },
  }),
];
