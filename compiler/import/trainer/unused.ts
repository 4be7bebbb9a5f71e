/** Options of a launch that nothing of the written file came from: each is told. */
import type { Document, Run } from "../../foreign/launch.ts";
import type { Settings, Told } from "../../foreign/settings.ts";
import type { ShellWord } from "../../foreign/shell/state.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { isPlace } from "../around.ts";
import { inTable } from "../../../dsl/in-table.ts";
import { unknownAdded } from "../unknown-words.ts";
import { isList } from "./list-options.ts";
import { recomputing } from "./stage.ts";
import { otherThan, traceless } from "./traces.ts";

export interface Heard {
  readonly settings: Settings;
  /** Names that somebody asked for. */
  readonly asked: Set<string>;
}

/** The same settings, which remember what they were asked for. */
export function listening(settings: Settings, asked = new Set<string>()): Heard {
  const own = new Map(settings);
  const get = (name: string): Told | undefined => {
    asked.add(name);
    return settings.get(name);
  };
  return { settings: Object.assign(own, { get }), asked };
}

/** Names of files, whose settings are told one by one. */
const files = /^(?:deepspeed|deepspeed_config(?:_file)?|datasets)$/;

/** What a run does anyway, or what only decides whether there is one. */
const idle = /^(?:do_train|overwrite_(?:output_dir|cache)|local_rank|logging_strategy|help|h)$/;

/** Switches that are off where nobody sets them. */
const usuallyOff = /^(?:load_in_[48]bit|strict|group_by_length|tf32|debug|sample_packing|push_to_hub|adapter|trust_remote_code)$/;

/** A key without a value says nothing. */
const isNothing = (name: string, { value, known }: Told): boolean =>
  known && (value === null || value === "" || (value === false && usuallyOff.test(name)));

const off: readonly unknown[] = [null, false, "", "auto", "no", "none", "NO", "None", "false", "False"];

/** A program that recomputes anyway is told nothing by a switch for it. */
const isOn = (name: string, value: unknown): boolean => recomputing.includes(name) && String(value).toLowerCase() === "true";

const because = "the language has no property for it";

interface Around {
  readonly accelerate: Settings;
  readonly documents: readonly Document[];
  /** What becomes of settings, as text: beside DeepSpeed's own file, which says some things first, and without it. */
  readonly draws: readonly ((settings: Settings) => string)[];
}

const otherTold = (told: Told): readonly Told[] =>
  otherThan(told.value).map((value) => ({ ...told, value: value as Told["value"] }));

export function unusedOptions(
  { settings, asked }: Heard,
  run: Run | null,
  { accelerate, documents, draws }: Around,
): readonly Diagnostic[] {
  const isSilent = (name: string): boolean => files.test(name) || idle.test(name);
  // Nobody asks for a name behind one that is found first, and some ask only where another one is there.
  const some = [new Map<string, Told>(), ...[...settings.keys()].map((name) => new Map([...settings].filter(([other]) => other !== name)))];
  for (const draw of draws) for (const each of some) draw(listening(each, asked).settings);
  // A value that is not the one that was asked for is heard, and still says nothing.
  const doubtful = [...settings].flatMap(([name, { value, known }]) =>
    known && asked.has(name) && !isSilent(name) && !off.includes(value) && !isOn(name, value) ? [name] : [],
  );
  const lost = new Set(draws.reduce<readonly string[]>((names, draw) => traceless(settings, names, otherTold, draw), doubtful));
  const isAsked = (name: string): boolean => (asked.has(name) && !lost.has(name)) || isSilent(name);
  // A section that nobody looked into is told as a whole.
  const isEntered = (section: string): boolean =>
    [...asked].some((name) => name.startsWith(`${section}.`) && settings.has(name));
  const isHidden = (name: string): boolean => {
    const section = name.slice(0, Math.max(0, name.lastIndexOf(".")));
    return section !== "" && settings.has(section) && !isEntered(section);
  };
  const isAccelerates = (name: string, { value }: Told): boolean =>
    (usualOf(name)?.includes(String(value).toLowerCase()) ?? off.includes(value)) ||
    isPlace(name) ||
    launchers.test(name) ||
    (value === name && ![...settings.keys()].some((other) => other.startsWith(`${name}.`)));
  const isTold = (name: string, told: Told): boolean => {
    if (isAsked(name) || isHidden(name) || isEntered(name) || isNothing(name, told)) return false;
    return accelerate.get(name) !== told || !isAccelerates(name, told);
  };
  return [
    ...[...settings].flatMap(([name, told]) =>
      isTold(name, told) ? [importLeftOut(told.nameSpan, { what: told.name, why: because })] : [],
    ),
    ...straysOf(run, isAsked, { settings, documents }),
  ];
}

/** What an accelerate file says of the machines and of itself, and how DeepSpeed is started and given its weights. */
const launchers =
  /^(?:compute_environment|distributed_type|machine_rank|main_training_function|rdzv_backend|tpu_.*|use_(?:deepspeed|fsdp|parallelism_config)|(?:deepspeed_config\.)?(?:deepspeed_(?:config_file|multinode_launcher)|zero3_init_flag)|(?:fsdp_config\.)?fsdp_version|(?:parallelism_config\.)?(?:parallelism_config_)?dp_shard_size)$/;

/** accelerate/utils/dataclasses.py: FullyShardedDataParallelPlugin, and what the training program does too: it wraps each block. */
const usual: Readonly<Record<string, readonly string[]>> = {
  gpu_ids: ["all"],
  fsdp_auto_wrap_policy: ["transformer_based_wrap"],
  fsdp_backward_prefetch: ["backward_pre"],
  fsdp_cpu_ram_efficient_loading: ["true"],
  fsdp_sync_module_states: ["true"],
  fsdp_use_orig_params: ["true"],
};

const usualOf = (name: string): readonly string[] | undefined => inTable(usual, name.split(".").at(-1) ?? name);

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
