/** A Megatron launch as a file: typed words first, then whatever of the launch they do not say in the engine's own. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Compilation } from "../../compile.ts";
import { compiledText } from "../compiled.ts";
import { onePerGroup } from "../../engines/megatron/lower/other-words.ts";
import { wordsOfLaunch, launchOf, type Launch } from "../../engines/megatron/lower/launch.ts";
import type { Given } from "../../engines/megatron/command-line.ts";
import { entryOf, programOf } from "../../engines/megatron/programs.ts";
import type { Entry } from "../../engines/megatron/table.ts";
import { unknown } from "../../engines/megatron/unknown.ts";
import type { StageStep } from "../../pipeline.ts";
import { neededMemory, onFittingDevice, type Needs } from "../device.ts";
import { block, property, type Block, type Draft, type Member } from "../draft.ts";
import { numeral, percent, quantity, quoted } from "../literals.ts";
import { placeBlocks, type Place } from "../place.ts";
import { paramLines, variablesIn } from "../variables.ts";
import { unknownAdded, unknownRemark } from "../unknown-words.ts";
import { write } from "../write.ts";
import { complaintsOf, spanOf } from "../../engines/megatron/complaints.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import { chatIn, dataBlock } from "./data.ts";
import { familyFor, type Fit } from "./family.ts";
import { modelOf } from "./model.ts";
import { valuesOf, type Values } from "./numbers.ts";
import { addedWords, openGiven, rawMembers, unknownMembers, wordsAfter } from "./raw.ts";
import { changedArguments, readArguments, type MegatronLaunch, type Reading } from "./reading.ts";
import { stageMembers, type StageNames } from "./stage.ts";

export interface MegatronImport {
  readonly text: string;
  /** What the file, compiled, does not say as the launch did. */
  readonly changed: readonly string[];
  /** Arguments in the engine's own words. */
  readonly raw: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** What the engine's parser refuses of the arguments: the file is without it. */
  readonly refused?: readonly Diagnostic[];
  /** GiB that a device would have to have, where no layout fits. */
  readonly needs: Needs | null;
  /** That it does not fit, by the estimate. */
  readonly estimate?: Diagnostic;
}

/** Latent attention norms its own queries and keys; where a family without it stands in, the model's word has to say so. */
function withNorms(fit: Fit, { on }: Values): Fit {
  const standsIn = Object.keys(fit.missing).some((path) => path.startsWith("mla."));
  return standsIn && on("qk_layernorm") ? { ...fit, written: { ...fit.written, qk_norm: true } } : fit;
}

export function importMegatron(launch: MegatronLaunch, place: Place, title: string): MegatronImport {
  const reading = readArguments(launch);
  const values = valuesOf(reading);
  const made = onFittingDevice(place, launch.architecture, (where) =>
    settle(reading, values, launch, where, title),
  ) as MegatronImport;
  return { ...made, refused: refusedOf(launch, reading) };
}

/** What the parser refuses; of a program that nobody knows, what it may take itself and the file is without. */
function refusedOf({ program }: MegatronLaunch, { line, table }: Reading): readonly Diagnostic[] {
  const isKnown = program === null || entryOf(program) !== null;
  const why = "Megatron has no such argument";
  const added = addedWords(line);
  const open = openGiven(line);
  const complaints = line.complaints.filter((each) =>
    each.kind === "unrecognized"
      ? !added.includes(each.word)
      : !open.includes(each.given) || each.kind === "repeated",
  );
  return [
    ...added.map(({ text, span }) => unknownAdded(span, variablesIn(text ?? ""))),
    ...open.map((given) =>
      importLeftOut(spanOf(given), { what: given.name, why: "its value is known only where the script runs" }),
    ),
    ...(isKnown
      ? complaintsOf({ ...line, complaints }, table)
      : complaints.flatMap((each) =>
          each.kind === "unrecognized" ? [importLeftOut(each.word.span, { what: each.word.text ?? "", why })] : [],
        )),
  ];
}

/** Writes, compiles, compares, and says in the engine's words what came out otherwise, until nothing does. */
function settle(
  reading: Reading,
  values: Values,
  launch: MegatronLaunch,
  place: Place,
  title: string,
): MegatronImport {
  const raw = new Set<string>(reading.table.all.map(({ dest }) => dest).filter((dest) => isSource(dest, reading)));
  // What a guess fills in is not taken back: nothing starts without it.
  const needed = new Set(["train_iters"].filter((dest) => !reading.line.given.has(dest)));
  // Whether a sequence can be split follows from a size that the planner chooses.
  if (reading.parsed["tensor_model_parallel_size"] === unknown) needed.add("sequence_parallel");
  for (let round = 0; ; round++) {
    const text = write(draftOf(reading, values, launch, place, title, raw));
    const compiled = compiledText(text);
    const lowered = loweredArguments(compiled);
    const { diagnostics } = compiled;
    const needs = neededMemory(compiled);
    if (lowered === null) return { text, changed: [], raw: [...raw], diagnostics, needs };
    const after = readArguments({
      ...launch,
      entry: lowered.entry,
      program: null,
      args: wordsOfLaunch(lowered).filter(({ text: word }) => word !== null),
    });
    for (const { raw: said } of lowered.contradictions) {
      const { dest } = said.argument;
      if (!reading.line.given.has(dest) && raw.delete(dest)) needed.add(dest);
    }
    const changed = changedArguments(reading, after).filter(
      (dest) => reading.parsed[dest] !== unknown && !needed.has(dest),
    );
    const fresh = changed.filter((dest) => !raw.has(dest));
    const isDone =
      fresh.length === 0 && !lowered.contradictions.some(({ raw: said }) => needed.has(said.argument.dest));
    if (isDone || round === 8) return { text, changed, raw: [...raw], diagnostics, needs };
    // What was given first: what it replaces need not be taken back then.
    const given = fresh.filter((dest) => reading.line.given.has(dest));
    for (const dest of given.length > 0 ? given : onePerGroup(fresh)) raw.add(dest);
  }
}

const data = new Set(["data_path", "train_data_path", "valid_data_path", "test_data_path", "mock_data", "split"]);

function isSource(dest: string, { line }: Reading): boolean {
  return data.has(dest) && line.given.has(dest);
}

export function loweredArguments({ pipeline, plan }: Compilation): Launch | null {
  const stage = pipeline.steps.find((step): step is StageStep => step.kind === "stage");
  const planned = plan.stages.find(({ name }) => name === stage?.name);
  return stage === undefined || planned === undefined
    ? null
    : launchOf({ stage, plan: planned, cluster: pipeline.launch.cluster });
}

function draftOf(
  reading: Reading,
  values: Values,
  launch: MegatronLaunch,
  place: Place,
  title: string,
  raw: ReadonlySet<string>,
): Draft {
  const { traits, guessed } = modelOf(reading, values, { layers: 24 });
  const fit = withNorms(familyFor(traits), values);
  const placed = placeBlocks({ ...place, env: foreignEnvironment(place.env) });
  const engine = engineNames(launch, reading.entry, fit);
  const chat = chatIn(reading);
  const names = { model: "network", data: "corpus", loss: chat?.loss ?? null, ...engine };
  const stage = stageMembers(values, names, place.nodes * place.perNode);
  const members = [...rawMembers(raw, reading), ...unknownMembers(reading, launch.args)];
  const open = openGiven(reading.line);
  const variablesOf = (given: Given): readonly string[] => wordsAfter(given).flatMap(variablesIn);
  const variables = [...reading.line.given.values()].filter((given) => !open.includes(given)).flatMap(variablesOf);
  return {
    title,
    imports: [
      { from: "std/clusters", names: placed.names },
      ...(placed.gpus.length === 0 ? [] : [{ from: "std/gpus", names: placed.gpus }]),
    ],
    declarations: [...paramLines(variables), ...placed.declarations],
    blocks: [
      dataBlock(reading, chat),
      modelBlock(fit, guessed, values.on("use_checkpoint_args")),
      block(
        "stage pretrain",
        [...stage, ...(members.length === 0 ? [] : [block("raw megatron", members)])],
        unknownRemark(
          addedWords(reading.line).flatMap(({ text }) => variablesIn(text ?? "")),
          open.map((given) => ({ name: given.name, from: variablesOf(given) })),
        ),
      ),
      ...placed.blocks,
    ],
  };
}

/** What the compiler derives and sets by itself. */
const derived = new Set([
  ...["CUDA_DEVICE_MAX_CONNECTIONS", "NVTE_ALLOW_NONDETERMINISTIC_ALGO", "NCCL_ALGO", "CUBLAS_WORKSPACE_CONFIG"],
  ...["NVTE_CPU_OFFLOAD_V1", "PYTHONPATH"],
]);

function foreignEnvironment(env: Place["env"]): Place["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !derived.has(name)));
}

function engineNames(
  { program: named, release }: MegatronLaunch,
  entry: Entry,
  { written }: Fit,
): Pick<StageNames, "program" | "root" | "version"> {
  const usual = "pattern" in written ? "pretrain_hybrid.py" : "pretrain_gpt.py";
  const program = named ?? programOf(entry) ?? usual;
  const cut = program.slice(0, program.length - ownPath(program).length);
  const name = program.slice(cut.length);
  const root = cut.replace(/\/$/, "");
  return {
    program: name === usual ? null : name,
    root: root === "" || root === "." ? null : root,
    version: release === undefined ? null : release.split(".").slice(0, 2).join("."),
  };
}

/** The end of a path that says which program it is: its name, or for one that many have, its folders too. */
function ownPath(program: string): string {
  const parts = program.replace(/^\.\//, "").split("/");
  const short = [1, 2, 3].map((count) => parts.slice(-count).join("/"));
  return short.find((path) => entryOf(path) !== null) ?? short[0] ?? program;
}

/** Properties that are no plain number, text or truth value. */
const units: Readonly<Record<string, (value: number) => string>> = {
  context: (value) => quantity(value, "tokens"),
  window: (value) => quantity(value, "tokens"),
  rotary_fraction: percent,
  dropout: percent,
};

function modelBlock(
  { family, written, foreign, missing }: Fit,
  guessed: Readonly<Record<string, string>>,
  isLoaded: boolean,
): Block {
  const shown = (path: string, value: unknown): string => {
    const unit = units[path];
    if (typeof value === "number") return unit === undefined ? numeral(value) : unit(value);
    return path === "pattern" ? quoted(String(value)) : String(value);
  };
  const own: Member[] = [];
  const inner = new Map<string, Member[]>();
  for (const [path, value] of Object.entries(written)) {
    const [group = "", name] = path.split(".");
    const member = property(name ?? group, shown(path, value), guessed[path]);
    if (name === undefined) own.push(member);
    else inner.set(group, [...(inner.get(group) ?? []), member]);
  }
  const lacks = [...foreign, ...Object.keys(missing)];
  const reasons = [
    ...(isLoaded ? ["--use-checkpoint-args takes the model from a checkpoint, which was not read"] : []),
    ...(lacks.length > 0 ? [`no family of the language has its ${lacks.join(", ")}`] : []),
  ];
  const doc =
    reasons.length === 0
      ? undefined
      : `Guessed: ${reasons.join("; ")}; memory and time are estimated for the model written here.`;
  return block(
    "model network",
    [property("family", family), ...own, ...[...inner].map(([name, members]) => block(name, members))],
    doc,
  );
}
