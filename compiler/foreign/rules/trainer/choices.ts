/** Options of the Trainer whose value is one of a list. */
import { distance } from "fastest-levenshtein";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { inTable } from "../../../../dsl/in-table.ts";
import { trainerWords } from "../../known/trainer-versions.ts";
import table from "./choices.json" with { type: "json" };
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

/** Values that earlier versions took. */
const isEarlier = (name: string, value: string): boolean =>
  inTable(inTable(trainerWords, name)?.went, value) !== undefined;

/** `debug` takes several words at once. */
const lists = new Set(["debug"]);

const options: readonly (readonly [name: string, values: readonly string[]])[] = Object.entries(table.choices)
  .filter(([name]) => !lists.has(name))
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
    source: `transformers ${table.version}: training_args.py (OptimizerNames), trainer_utils.py (SchedulerType, IntervalStrategy, SaveStrategy, HubStrategy)`,
    why: "The Trainer accepts only the words that it knows and stops with a ValueError on every rank for any other.",
    fix: "Write one of the words that `valid` lists.",
    check: withTrainer((trainer) =>
      options.flatMap(([name, values]): readonly Found[] => {
        const told = trainer.get(name);
        // Axolotl has schedulers of its own.
        if (told === undefined || !told.known || typeof told.value !== "string" || told.name === "lr_scheduler")
          return [];
        const { value, span } = told;
        if (value === "" || values.includes(value) || isEarlier(name, value)) return [];
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
