/** Words on the Trainer's command line that belong to no option, and counts that are none. */
import type { ShellWord } from "../../shell/state.ts";
import { isMegatron } from "../../megatron.ts";
import { bare, numberIn, toldIn } from "../../settings.ts";
import { trainerNumbers } from "../../trainer/arguments.ts";
import { isTrainer } from "../../trainer/settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

const run = "torchrun --nproc_per_node 8 run_clm.py --output_dir o --per_device_train_batch_size 1";

/** Options of the Trainer that take one word. Source: their types in training_args.py, and hf_argparser.py: _parse_dataclass_field. */
const single: ReadonlySet<string> = new Set([
  ...trainerNumbers,
  ...["fsdp", "fsdp_config", "deepspeed", "output_dir", "optim", "optim_args", "lr_scheduler_type", "run_name"],
  ...["eval_strategy", "evaluation_strategy", "save_strategy", "logging_strategy", "logging_dir", "ddp_backend"],
  ...["hub_model_id", "resume_from_checkpoint", "log_level"],
]);

const isOption = ({ text }: ShellWord): boolean => text === null || /^--?[A-Za-z]/.test(text) || text === "--";

/** What stands behind the one word of an option, up to the next. */
function strays(args: readonly ShellWord[]): readonly Found[] {
  return args.flatMap((option, at): readonly Found[] => {
    if (!/^--[A-Za-z]/.test(option.text ?? "")) return [];
    const isAttached = option.text?.includes("=") === true;
    const name = bare((option.text ?? "").split("=")[0] ?? "");
    if (!single.has(name)) return [];
    const value = isAttached ? option : args[at + 1];
    const from = at + (isAttached ? 1 : 2);
    const end = args.findIndex((word, index) => index >= from && isOption(word));
    const words = args.slice(from, end < 0 ? args.length : end);
    const [first] = words;
    const last = words.at(-1);
    if (value === undefined || isOption(value) !== isAttached || first === undefined || last === undefined) return [];
    // Words that one expansion made stand where it stands, and no quotes there would join them.
    const { source, start } = isAttached ? option.span : value.span;
    const whole = { source, start, end: last.span.end };
    const isPlain = words.every(({ from: names, span }) => names.length === 0 && span.source === source);
    const text = source.text.slice(start, last.span.end);
    const canQuote = isPlain && !isAttached && start < first.span.start && !/["'\\\n]/.test(text);
    return [
      {
        span: { ...first.span, end: isPlain ? last.span.end : first.span.end },
        message: `--${name} takes one word: ${words.map((word) => word.text).join(" ")} ${words.length > 1 ? "belong" : "belongs"} to nothing`,
        ...(canQuote
          ? { fixes: [{ title: "put it in quotes", edits: [{ span: whole, newText: `"${text}"` }] }] }
          : {}),
      },
    ];
  });
}

/** Counts, and the least of each that something can be done with. */
const least: Readonly<Record<string, number>> = {
  per_device_train_batch_size: 1,
  gradient_accumulation_steps: 1,
  dataloader_num_workers: 0,
};

export const trainerWordRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-stray-word",
    source: "transformers/hf_argparser.py: HfArgumentParser.parse_args_into_dataclasses",
    why: "The option takes one word, and a further word that belongs to no option is refused: `Some specified arguments are not used by the HfArgumentParser`. Several words of --fsdp are one text in quotes.",
    fix: "Put the words in quotes, or remove what does not belong.",
    check: ({ runs }) =>
      runs.filter((each) => !isMegatron(each) && isTrainer(each)).flatMap(({ args }) => strays(args)),
    fires: { "run.sh": `${run} --fsdp full_shard auto_wrap --bf16\n` },
    silent: { "run.sh": `${run} --fsdp "full_shard auto_wrap" --bf16\n` },
  }),
  rule({
    name: "trainer-count",
    source:
      "transformers/trainer.py: get_train_dataloader, set_initial_training_values; torch/utils/data: BatchSampler, DataLoader",
    why: "The data loader refuses an empty batch and a negative number of workers, and the steps of the run are divided by the accumulation.",
    fix: "Write at least the number that the message names.",
    check: withTrainer((trainer) =>
      Object.entries(least).flatMap(([name, from]): readonly Found[] => {
        const told = toldIn(trainer, name);
        const count = numberIn(trainer, name);
        return told === undefined || count === null || count >= from
          ? []
          : [{ span: told.span, message: `${told.name} is ${count}: it must be at least ${from}`, valid: [String(from)] }];
      }),
    ),
    fires: { "args.yaml": yaml("gradient_accumulation_steps: 0\n") },
    silent: { "args.yaml": yaml("gradient_accumulation_steps: 1\n") },
  }),
];
