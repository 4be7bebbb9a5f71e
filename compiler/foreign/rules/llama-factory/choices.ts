/** Arguments of LLaMA-Factory that take one of a few words or numbers. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { at, scalarOf } from "../../documents/located.ts";
import { documentsOf, type Run } from "../../launch.ts";
import { isFilledIn } from "../trainer/value-text.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import table from "./choices.json" with { type: "json" };
import { isFactory } from "./names.ts";

const choices = Object.entries<readonly string[]>(table.choices);

/**
 * Words that a program asks for whatever else is said; of the others it may ask for none (train/tuner.py: run_exp; model/adapter.py:
 * init_adapter; hparams/finetuning_args.py: FinetuningArguments.__post_init__).
 */
const always: ReadonlySet<string> = new Set([
  ...["stage", "finetuning_type", "ref_model_quantization_bit", "reward_model_quantization_bit"],
]);

const file = "model_name_or_path: m\nfinetuning_type: lora\ntemplate: default\noutput_dir: out\ndataset: d\n";

function misnamed(name: string, word: string, valid: readonly string[]): Omit<Found, "span"> | null {
  if (word === "" || valid.includes(word) || isFilledIn(word)) return null;
  const meant = nearest(word, [...valid]);
  return { message: `${name} takes no ${word}`, valid: meant === null ? valid : [meant] };
}

function ofCommand({ options }: Run): readonly Found[] {
  return choices.flatMap(([name, valid]): readonly Found[] => {
    const told = options.get(name);
    if (told === undefined || !told.known || typeof told.value === "boolean") return [];
    const wrong = misnamed(name, String(told.value ?? ""), valid);
    return wrong === null ? [] : [{ ...wrong, span: told.span }];
  });
}

export const llamaFactoryChoiceRules: readonly ForeignRule[] = [
  rule({
    name: "llama-factory-choice",
    source: `llamafactory/hparams, ${table.version}: FinetuningArguments.__post_init__; train/tuner.py: run_exp; model/adapter.py: init_adapter; model/model_utils/quantization.py: configure_quantization`,
    why: "On a command line the parser refuses a word that its list does not have. In a file the training stops at the code that reads the word, after the model is loaded.",
    fix: "Write a word from `valid`.",
    check: (launch) => [
      ...documentsOf(launch, "llama-factory").flatMap(({ root }) =>
        choices.flatMap(([name, valid]): readonly Found[] => {
          const node = at(root, name);
          const word = scalarOf(node);
          const isRead = typeof word === "string" || typeof word === "number";
          const wrong = isRead ? misnamed(name, String(word), valid) : null;
          if (node === undefined || wrong === null) return [];
          return [{ ...wrong, span: node.span, ...(always.has(name) ? {} : { severity: "warning" as const }) }];
        }),
      ),
      ...launch.runs.filter(isFactory).flatMap(ofCommand),
    ],
    fires: { "sft.yaml": `${file}stage: stf\n` },
    silent: { "sft.yaml": `${file}stage: sft\n` },
  }),
];
