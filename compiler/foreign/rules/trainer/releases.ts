/** Options of the Trainer, and words of its lists, that came or went between releases of transformers. */
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { inTable } from "../../../../dsl/in-table.ts";
import { below } from "../../../engines/release.ts";
import { missingIn, pinnedRelease, trainerChanges, trainerWords, type Pinned } from "../../known/trainer-versions.ts";
import type { Launch, Run } from "../../launch.ts";
import { isMegatron } from "../../megatron.ts";
import type { Told } from "../../settings.ts";
import { flattened, isTrainer } from "../../trainer/settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { yaml } from "./trainer.ts";

/** What does the same now; `false` where its values are others. */
const renamed: Readonly<Record<string, readonly [now: string, isSame: boolean]>> = {
  evaluation_strategy: ["eval_strategy", true],
  no_cuda: ["use_cpu", true],
  per_gpu_train_batch_size: ["per_device_train_batch_size", true],
  per_gpu_eval_batch_size: ["per_device_eval_batch_size", true],
  push_to_hub_model_id: ["hub_model_id", true],
  push_to_hub_token: ["hub_token", true],
  include_tokens_per_second: ["include_num_input_tokens_seen", false],
  include_inputs_for_metrics: ["include_for_metrics", false],
  group_by_length: ["train_sampling_strategy", false],
  warmup_ratio: ["warmup_steps", false],
};

const before: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(renamed).flatMap(([old, [now, isSame]]) => (isSame ? [[now, old]] : [])),
);

/** Without a release what has long gone is warned of; what went since then is one remark, for who installs the newest. */
const longGone = "5.0";

/** LLaMA-Factory kept it as an argument of its own. */
const factoryOwn = new Set(["overwrite_output_dir"]);

/** Names that programs have for options of their own. */
const ofPrograms = new Set([
  ...["activation_checkpointing", "activation_checkpointing_kwargs", "generation_config", "project", "torch_compile"],
  ...["tp_size", "use_cache"],
]);

/** The name without what stands around it, where it can be replaced. */
function placeOf({ nameSpan }: Told, name: string): { readonly span: Told["span"]; readonly isWritten: boolean } {
  const start = nameSpan.start + Math.max(0, nameSpan.source.text.slice(nameSpan.start).indexOf(name));
  const span = { source: nameSpan.source, start, end: start + name.length };
  const isWritten = span.source.text.slice(span.start, span.end) === name && span.end <= nameSpan.end;
  return { span: isWritten ? span : nameSpan, isWritten };
}

function instead(told: Told, name: string, word: string | undefined, isSame: boolean): Partial<Found> {
  if (word === undefined) return {};
  const { span, isWritten } = placeOf(told, name);
  return { valid: [word], ...(isWritten && isSame ? { fixes: [replacement(span, word)] } : {}) };
}

function ofName(told: Told, name: string, release: Pinned | null): readonly Found[] {
  const { span } = placeOf(told, name);
  const [now, isSame] = inTable(renamed, name) ?? [undefined, false];
  const gone = (since: string): Found => ({
    span,
    message: `transformers has had no ${name} since ${since}${now === undefined ? "" : `: ${now} replaced it`}`,
    ...instead(told, name, now, isSame),
    ...nearby("the release", release?.span),
  });
  if (release === null) {
    const since = inTable(trainerChanges.went, name);
    return since !== undefined && below(since, longGone) && !ofPrograms.has(name)
      ? [{ ...gone(since), severity: "warning" }]
      : [];
  }
  const missing = ofPrograms.has(name) ? null : missingIn(trainerChanges, name, release.version);
  if (missing === null) return [];
  if ("went" in missing) return [gone(missing.went)];
  const old = inTable(before, name);
  return [
    {
      span,
      message: `transformers ${release.version} has no ${name} yet: ${old === undefined ? "it came with" : `it is called ${old} before`} ${missing.came}`,
      ...instead(told, name, old, true),
      ...nearby("the release", release.span),
    },
  ];
}

function ofWord({ value, span, known }: Told, name: string, release: Pinned | null): readonly Found[] {
  const changes = inTable(trainerWords, name);
  if (changes === undefined || release === null || !known || typeof value !== "string") return [];
  const missing = missingIn(changes, value, release.version);
  if (missing === null) return [];
  const when = "came" in missing ? `yet: it came with ${missing.came}` : `from ${missing.went} on`;
  return [
    {
      span,
      message: `transformers ${release.version} has no ${name} ${value} ${when}`,
      ...nearby("the release", release.span),
    },
  ];
}

const judged = (settings: ReadonlyMap<string, Told>, release: Pinned | null): readonly Found[] => [
  ...[...settings].flatMap(([name, told]) => [...ofName(told, name, release), ...ofWord(told, name, release)]),
  ...(release === null ? lately(settings) : []),
];

/** LLaMA-Factory asks for a release of transformers by itself. */
function lately(settings: ReadonlyMap<string, Told>): readonly Found[] {
  if (settings.has("finetuning_type")) return [];
  const gone = [...settings].flatMap(([name, told]) => {
    const since = inTable(trainerChanges.went, name);
    return since === undefined || below(since, longGone) || ofPrograms.has(name) ? [] : [{ name, since, ...placeOf(told, name) }];
  });
  const [first, ...others] = gone;
  if (first === undefined) return [];
  return [
    {
      span: first.span,
      severity: "info",
      message: `transformers has had no ${first.name} since ${first.since}, and no file says which release is installed`,
      related: others.map(({ name, since, span }) => ({ message: `no ${name} since ${since}`, span })),
    },
  ];
}

/** A program that lies beside and speaks of the name may have an option of its own. */
function notOwn({ program, script }: Run, { beside }: Launch): (name: string) => boolean {
  const path = program?.text ?? "";
  const text = path.endsWith(".py") ? beside.text(path, script.source)?.text : undefined;
  return (name) => text === undefined || !new RegExp(`\\b${name}\\b`).test(text);
}

const only = (settings: ReadonlyMap<string, Told>, takes: (name: string) => boolean): ReadonlyMap<string, Told> =>
  new Map([...settings].filter(([name]) => takes(name)));

export const trainerReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-release",
    source:
      "transformers/training_args.py: TrainingArguments, OptimizerNames, trainer_utils.py: SchedulerType, SaveStrategy, HubStrategy, release by release; hf_argparser.py: parse_dict, parse_args_into_dataclasses",
    why: "A program that reads TrainingArguments stops at a name that its release does not have (`Some specified arguments are not used by the HfArgumentParser`), or ignores it. An optimizer or a schedule that the release does not have is a ValueError.",
    fix: "Write the name that the message gives, or install the release that the file was written for.",
    check: (launch: Launch) => {
      const release = pinnedRelease(launch, "transformers");
      const files = launch.documents
        .filter(({ kind }) => kind === "training-arguments" || kind === "llama-factory")
        .flatMap(({ root, kind }) =>
          judged(
            only(flattened(root), (name) => kind !== "llama-factory" || !factoryOwn.has(name)),
            release,
          ),
        );
      const lines = launch.runs
        .filter((run) => !isMegatron(run) && isTrainer(run))
        .flatMap((run) => {
          const isTrainers = notOwn(run, launch);
          const { options } = run;
          const isFactory = options.has("finetuning_type");
          return judged(
            only(options, (name) => isTrainers(name) && (!isFactory || !factoryOwn.has(name))),
            release,
          );
        });
      return [...files, ...lines];
    },
    fires: { "args.yaml": yaml("evaluation_strategy: steps\n"), "requirements.txt": "transformers==4.51.3\n" },
    silent: {
      "args.yaml": yaml("evaluation_strategy: steps\n"),
      "requirements.txt": "transformers==4.45.2\n",
    },
  }),
];
