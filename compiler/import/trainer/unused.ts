/** Options of a launch that nothing of the written file came from: each is told. */
import type { Document, Run } from "../../foreign/launch.ts";
import type { Settings, Told } from "../../foreign/settings.ts";
import type { ShellWord } from "../../foreign/shell/state.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { isCounted } from "../around.ts";
import { unknownAdded } from "../unknown-words.ts";
import { isList } from "./list-options.ts";

export interface Heard {
  readonly settings: Settings;
  /** Names that somebody asked for. */
  readonly asked: ReadonlySet<string>;
}

/** The same settings, which remember what they were asked for. */
export function listening(settings: Settings): Heard {
  const asked = new Set<string>();
  const own = new Map(settings);
  const get = (name: string): Told | undefined => {
    asked.add(name);
    return settings.get(name);
  };
  return { settings: Object.assign(own, { get }), asked };
}

/** The first of several sources says these, and the others are not asked; or the file says them in another way. */
const said =
  /^(?:bf16|fp16|learning_rate|lr|optim|optimizer|adam_(?:beta1|beta2|epsilon)|weight_decay|max_grad_norm|gradient_accumulation_steps|(?:per_device_|global_)?train_batch_size|micro_batch_size|train_micro_batch_size_per_gpu|warmup_(?:steps|ratio)|lr_scheduler(?:_type)?|(?:max|max_train|num)_(?:steps|train_steps|train_epochs|epochs)|train_iters|epochs|deepspeed|deepspeed_config(?:_file)?|datasets|eval_steps|save_(?:steps|total_limit)|output_dir|(?:gradient|fsdp_activation|use_gradient)_checkpointing|use_tensorboard|lora_(?:r|rank|alpha|dropout|target)|use_(?:lora|peft|qlora)|target_modules|(?:tuner|train|sft)_type|quantization_bit|quant_bits|load_in_4bit)$/;

/** What a run does anyway, or what only decides whether there is one. */
const idle = /^(?:do_train|overwrite_(?:output_dir|cache)|local_rank|logging_strategy|help|h)$/;

/** Switches that are off where nobody sets them. */
const usuallyOff = /^(?:load_in_[48]bit|strict|group_by_length|tf32|debug|sample_packing|push_to_hub|adapter|trust_remote_code)$/;

/** A key without a value says nothing. */
const isNothing = (name: string, { value, known }: Told): boolean =>
  known && (value === null || value === "" || (value === false && usuallyOff.test(name)));

const off: readonly unknown[] = [null, false, "", "no", "none", "NO", "None", "false", "False"];

const because = "the language has no property for it";

export function unusedOptions(
  { settings, asked }: Heard,
  run: Run | null,
  { accelerate, documents }: { readonly accelerate: Settings; readonly documents: readonly Document[] },
): readonly Diagnostic[] {
  const isAsked = (name: string): boolean => asked.has(name) || said.test(name) || idle.test(name);
  // A section that nobody looked into is told as a whole.
  const isEntered = (section: string): boolean =>
    [...asked].some((name) => name.startsWith(`${section}.`) && settings.has(name));
  const isHidden = (name: string): boolean => {
    const section = name.slice(0, Math.max(0, name.lastIndexOf(".")));
    return section !== "" && settings.has(section) && !isEntered(section);
  };
  const isTold = (name: string, told: Told): boolean => {
    if (isAsked(name) || isHidden(name) || isEntered(name) || isNothing(name, told)) return false;
    const isLaunchers = accelerate.get(name) === told;
    return !(isLaunchers && (off.includes(told.value) || isCounted(name) || launchers.test(name)));
  };
  return [
    ...[...settings].flatMap(([name, told]) =>
      isTold(name, told) ? [importLeftOut(told.nameSpan, { what: told.name, why: because })] : [],
    ),
    ...straysOf(run, isAsked, { settings, documents }),
  ];
}

/** What an accelerate file says of the machines and of itself. */
const launchers =
  /^(?:compute_environment|distributed_type|machine_rank|main_training_function|debug|rdzv_backend|deepspeed_config\..*|fsdp_config(?:\..*)?|parallelism_config(?:\..*)?|tpu_.*|gpu_ids|enable_cpu_affinity)$/;

const isOption = (word: ShellWord | undefined): boolean => /^--?[A-Za-z]/.test(word?.text ?? "");

/** Options that the file asked for, and whose value only the job knows. */
export function openOptions({ settings, asked }: Heard): readonly Told[] {
  return [...settings].flatMap(([name, told]) => (!told.known && asked.has(name) ? [told] : []));
}

/** Variables in place of an option, which may be any. */
export function addedNames(run: Run | null): readonly string[] {
  let isAwaited = false;
  return (run?.args ?? []).flatMap(({ text, pieces, from }) => {
    const isAdded = text === null && !isAwaited && pieces.every((piece) => piece.text === null);
    isAwaited = text !== null && /^--?[A-Za-z][^=]*$/.test(text);
    return isAdded ? from : [];
  });
}

/** Words that stand alone: a file of the program's own, a second value. Those behind an option that is told are told with it. */
function straysOf(
  run: Run | null,
  isAsked: (name: string) => boolean,
  { settings, documents }: { readonly settings: Settings; readonly documents: readonly Document[] },
): readonly Diagnostic[] {
  // A folder of the script is seldom one of whoever gives the files.
  const baseName = (path: string): string | undefined => path.split("/").at(-1);
  const isGiven = (path: string): boolean => documents.some((each) => baseName(each.path) === baseName(path));
  let before: ShellWord | null = null;
  let values = 0;
  return (run?.args ?? []).flatMap((word) => {
    if (word.text === null) {
      const isValue = before !== null && values++ === 0;
      return isValue || word.pieces.some(({ text }) => text !== null) ? [] : [unknownAdded(word.span, word.from)];
    }
    if (isOption(word)) {
      before = word.text.includes("=") ? null : word;
      values = 0;
      return [];
    }
    values++;
    if (/^(?:\+{0,2})[A-Za-z_][\w./-]*=/.test(word.text) || word.text === "--") return [];
    const name: string | null =
      before === null ? null : ((before as ShellWord).text ?? "").replace(/^-+/, "").replaceAll("-", "_");
    if (name !== null && (values === 1 || isList(name) || !isAsked(name) || !settings.has(name))) return [];
    const isFile = /\.(?:json|ya?ml)$/.test(word.text);
    if (isFile && isGiven(word.text)) return [];
    const why = isFile && before === null ? "its settings count only if it is given to the import" : because;
    return [importLeftOut(word.span, { what: `the word ${word.text}`, why })];
  });
}
