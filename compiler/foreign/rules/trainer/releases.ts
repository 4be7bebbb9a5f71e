/** Options of the Trainer that came or went between releases of transformers. */
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { below } from "../../../engines/release.ts";
import type { Launch } from "../../launch.ts";
import { isMegatron } from "../../megatron.ts";
import { packagesOf } from "../../known/packages.ts";
import type { Told } from "../../settings.ts";
import { flattened, isTrainer } from "../../trainer/settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { yaml } from "./trainer.ts";

/** Read off the fields of TrainingArguments in the releases themselves: the first that lacks a name, and what does the same now. */
const gone: ReadonlyMap<string, { readonly since: string; readonly now?: string }> = new Map([
  ["evaluation_strategy", { since: "4.51", now: "eval_strategy" }],
  ...["dispatch_batches", "split_batches"].map((name) => [name, { since: "4.51" }] as const),
  ["use_ipex", { since: "4.57" }],
  ["no_cuda", { since: "5.0", now: "use_cpu" }],
  ["per_gpu_train_batch_size", { since: "5.0", now: "per_device_train_batch_size" }],
  ["per_gpu_eval_batch_size", { since: "5.0", now: "per_device_eval_batch_size" }],
  ["push_to_hub_model_id", { since: "5.0", now: "hub_model_id" }],
  ["push_to_hub_token", { since: "5.0", now: "hub_token" }],
  ["include_tokens_per_second", { since: "5.0", now: "include_num_input_tokens_seen" }],
  ["include_inputs_for_metrics", { since: "5.0", now: "include_for_metrics" }],
  ...[
    "adafactor",
    "fp16_backend",
    "fp16_opt_level",
    "fsdp_min_num_params",
    "fsdp_transformer_layer_cls_to_wrap",
    "half_precision_backend",
    "jit_mode_eval",
    "mp_parameters",
    "overwrite_output_dir",
    "past_index",
    "push_to_hub_organization",
    "ray_scope",
    "save_safetensors",
    "torchdynamo",
    "tpu_metrics_debug",
    "tpu_num_cores",
    "use_legacy_prediction_loop",
    "use_mps_device",
  ].map((name) => [name, { since: "5.0" }] as const),
  ["group_by_length", { since: "5.2", now: "train_sampling_strategy" }],
  ["warmup_ratio", { since: "5.15", now: "warmup_steps" }],
  ["logging_dir", { since: "5.15" }],
]);

const came: ReadonlyMap<string, { readonly in: string; readonly before: string }> = new Map([
  ["eval_strategy", { in: "4.41", before: "evaluation_strategy" }],
]);

/** Without a release only what has long gone is told: later removals meet few who have them. */
const longGone = "5.0";

/** LLaMA-Factory kept it as an argument of its own. */
const factoryOwn = new Set(["overwrite_output_dir"]);

function judged(told: Told, name: string, version: string | null, by: Told["span"] | undefined): readonly Found[] {
  const went = gone.get(name);
  const start = told.nameSpan.start + Math.max(0, told.nameSpan.source.text.slice(told.nameSpan.start).indexOf(name));
  const span = { source: told.nameSpan.source, start, end: start + name.length };
  const isWritten = span.source.text.slice(span.start, span.end) === name && span.end <= told.nameSpan.end;
  const place = isWritten ? span : told.nameSpan;
  const offered = (word: string | undefined, isSame: boolean): Partial<Found> =>
    word === undefined
      ? {}
      : { valid: [word], ...(isWritten && isSame ? { fixes: [replacement(place, word)] } : {}) };
  if (went !== undefined && (version === null ? below(went.since, longGone) : !below(version, went.since)))
    return [
      {
        span: place,
        message: `transformers has no ${name} from ${went.since} on${went.now === undefined ? "" : `: ${went.now} took its place`}`,
        ...offered(went.now, name.replace(/^.*_/, "") === went.now?.replace(/^.*_/, "") || name === "no_cuda"),
        ...nearby("the release", by),
        ...(version === null ? { severity: "warning" as const } : {}),
      },
    ];
  const since = came.get(name);
  if (since === undefined || version === null || !below(version, since.in)) return [];
  return [
    {
      span: place,
      message: `transformers ${version} has no ${name} yet: it is ${since.before} before ${since.in}`,
      ...offered(since.before, true),
      ...nearby("the release", by),
    },
  ];
}

export const trainerReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-release",
    source:
      "transformers/training_args.py: TrainingArguments, release by release; hf_argparser.py: parse_dict, parse_args_into_dataclasses",
    why: "A program that reads TrainingArguments stops at a name that its release does not have, `Some specified arguments are not used by the HfArgumentParser`, or continues without it.",
    fix: "Write the name that the message says, or install the release that the file was written for.",
    check: (launch: Launch) => {
      const transformers = packagesOf(launch).get("transformers");
      const version = transformers?.version ?? null;
      const files = launch.documents
        .filter(({ kind }) => kind === "training-arguments" || kind === "llama-factory")
        .flatMap(({ root, kind }) =>
          [...flattened(root)]
            .filter(([name]) => kind !== "llama-factory" || !factoryOwn.has(name))
            .flatMap(([name, told]) => judged(told, name, version, transformers?.span)),
        );
      const lines = launch.runs
        .filter((run) => !isMegatron(run) && isTrainer(run))
        .flatMap(({ options }) =>
          [...options]
            .filter(([name]) => !options.has("finetuning_type") || !factoryOwn.has(name))
            .flatMap(([name, told]) => judged(told, name, version, transformers?.span)),
        );
      return [...files, ...lines];
    },
    fires: { "args.yaml": yaml("evaluation_strategy: steps\n"), "requirements.txt": "transformers==4.51.3\n" },
    silent: {
      "args.yaml": yaml("evaluation_strategy: steps\n"),
      "requirements.txt": "transformers==4.45.2\n",
    },
  }),
];
