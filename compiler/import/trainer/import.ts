/** A training of transformers, accelerate or DeepSpeed as a file that this compiler's own training program runs. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Compilation } from "../../compile.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import type { Document } from "../../document.ts";
import { lowerStage } from "../../engines/lower.ts";
import type { Launch, Run } from "../../foreign/launch.ts";
import type { Settings } from "../../foreign/settings.ts";
import type { StageStep } from "../../pipeline.ts";
import { compiledText } from "../compiled.ts";
import { block, type Draft } from "../draft.ts";
import { neededMemory, onFittingDevice, type Needs } from "../device.ts";
import { placeBlocks, type Place } from "../place.ts";
import { unknownRemark } from "../unknown-words.ts";
import { write } from "../write.ts";
import { atPath, deepspeedDocument, isSection, openPaths, type Section } from "./deepspeed-document.ts";
import { axolotlDatasetKeys } from "./axolotl-datasets.ts";
import { factsOf, type Facts, type Left } from "./facts.ts";
import { filledBySize, unsizedIn } from "./filled-sizes.ts";
import { withLists } from "./list-options.ts";
import { lostParameters } from "./lost-parameters.ts";
import { periodsOf } from "./periods.ts";
import { rawDeepSpeed } from "./raw.ts";
import { changedKeys, defaultOf } from "./same-config.ts";
import { trainerStage } from "./stage.ts";
import { halfSaid } from "./half-said.ts";
import { contextOf, subjectOf } from "./subject.ts";
import { accelerateSection } from "./accelerate-section.ts";
import { addedNames, listening, openOptions, unusedOptions } from "./unused.ts";
import { zeroOf } from "./zero.ts";

export interface TrainerImport {
  readonly text: string;
  readonly raw: readonly string[];
  readonly changed: readonly string[];
  /** What could not be taken over. */
  readonly diagnostics: readonly Diagnostic[];
  /** What is wrong with the text. */
  readonly problems: readonly Diagnostic[];
  readonly needs: Needs | null;
  /** That it does not fit, by the estimate. */
  readonly estimate?: Diagnostic;
}

export function importTrainer(launch: Launch, run: Run | null, place: Place, title: string): TrainerImport | null {
  return onFittingDevice(place, null, (where) => trainerFile(launch, run, where, title));
}

function trainerFile(launch: Launch, run: Run | null, place: Place, title: string): TrainerImport | null {
  const config = deepspeedDocument(launch);
  const files = launch.documents.filter(({ kind }) => kind !== "model" && kind !== "tokenizer" && kind !== "kubernetes");
  if (config === null && run === null && files.length === 0) return null;
  const own: Settings = withLists(launch.trainer ?? run?.options ?? new Map(), run);
  const accelerate = acceleratesOf(launch);
  const heard = listening(new Map([...accelerate, ...own]));
  const { settings } = heard;
  const { facts, zero, subject, stage, left, section } = partsOf(launch, settings, config, place);
  const handed = config ?? section;
  const where: Place =
    facts.ranks === place.nodes * place.perNode
      ? place
      : {
          ...place,
          nodes: Math.ceil(facts.ranks / 8),
          perNode: Math.min(8, facts.ranks),
          guessedSize: `the batch depends on ${facts.ranks} ranks, and no file gives their number; give it with \`--world\``,
        };
  const placed = placeBlocks(where);
  const open = [...openOptions(heard), ...openPaths(launch).map((name) => ({ name, from: [] }))];
  const raw = new Map<string, Document>();
  const without = new Map<string, Left>(subject.isSized ? [] : unsizedIn(config).map((left) => [left.what, left]));
  for (let round = 0; ; round++) {
    const draft: Draft = {
      title,
      imports: [
        { from: "std/clusters", names: placed.names },
        ...(placed.gpus.length === 0 ? [] : [{ from: "std/gpus", names: placed.gpus }]),
        ...(subject.models.length === 0 ? [] : [{ from: "std/models", names: subject.models }]),
      ],
      declarations: placed.declarations,
      blocks: [
        ...subject.blocks,
        block("stage train", [...stage, ...rawDeepSpeed(raw)], unknownRemark(addedNames(run), open)),
        ...placed.blocks,
      ],
    };
    const text = write(draft);
    const compiled = compiledText(text);
    const hidden = subject.isSized ? (compiled.plan.stages[0]?.model.d_model ?? null) : null;
    const wanted = handed === null ? null : resolved(handed, facts, hidden);
    const changed = wanted === null ? [] : changedIn(compiled, wanted);
    const refused = refusedKeys(compiled).filter(({ what }) => !without.has(what));
    for (const one of refused) {
      without.set(one.what, one);
      for (const path of raw.keys()) if (path === one.what || path.startsWith(`${one.what}.`)) raw.delete(path);
    }
    const isLeft = (path: string): boolean =>
      [...without.keys()].some((what) => path === what || path.startsWith(`${what}.`));
    const isSaid = (path: string): boolean =>
      isTyped(path) || (path === "sequence_parallel_size" && facts.sequence > 1);
    const fresh = changed.filter((path) => !raw.has(path) && !isSaid(path) && !isLeft(path));
    if ((fresh.length === 0 && refused.length === 0) || round === 6) {
      const at = run?.program?.span ?? startOf(launch);
      const draws = (config === null ? [null] : [config, null]).map(
        (each) => (some: Settings) => JSON.stringify(partsOf(launch, some, each, place)),
      );
      const lost = lostParameters(config, (some) => JSON.stringify(partsOf(launch, settings, some, place)));
      const told = [...left, ...lost, ...without.values(), ...programOf(run)];
      return {
        text,
        raw: [...raw.keys()],
        changed: changed.filter((path) => !isLeft(path)),
        diagnostics: [...told.map((one) => importLeftOut(at, one)), ...axolotlDatasetKeys(launch), ...unusedOptions(heard, run, { accelerate, documents: launch.documents, draws })],
        problems: compiled.diagnostics,
        needs: neededMemory(compiled),
      };
    }
    for (const path of fresh) {
      const value = wanted === null ? undefined : (atPath(wanted, path) ?? defaultOf(path, zero.stage));
      raw.set(path, value ?? null);
    }
  }
}

/** What accelerate is told, but for what the Trainer tells it anew (transformers/trainer.py: create_accelerator_and_postprocess). */
function acceleratesOf({ accelerate, trainer }: Launch): Settings {
  const settings = new Map(accelerate ?? []);
  if (trainer !== null) settings.delete("gradient_accumulation_steps");
  return settings;
}

/** Everything that becomes of settings, but for what stands in a DeepSpeed file alone. */
function partsOf(launch: Launch, settings: Settings, config: Section | null, { nodes, perNode, guessedSize }: Place) {
  const facts = factsOf(launch, settings, config, nodes * perNode, guessedSize === null);
  const zero = zeroOf(launch, settings, config, facts.ranks);
  const section = config === null ? accelerateSection(launch, settings, zero) : null;
  const subject = subjectOf(launch, settings, leastTokens(facts, settings), facts.sequence);
  const periods = periodsOf(launch, settings, facts.length.value);
  const stage = trainerStage(launch, settings, { facts, zero, context: subject.context, periods });
  const left = [...facts.left, ...zero.left, ...halfSaid(settings), ...periods.left];
  return { facts, zero, subject, stage, left, section };
}

/** An epoch is guessed to be twenty times as long as its warm-up. */
function leastTokens({ length, batch, schedule }: Facts, settings: Settings): number | null {
  if (length.value.unit !== "epochs") return null;
  const rise = schedule.value.warmup;
  const warmup = rise === null || rise.endsWith("%") ? 0 : Number.parseInt(rise, 10);
  return warmup * 20 * batch.value * (contextOf(settings) ?? longestContext);
}

/** Where nothing says how long a sample is, no model in use has more. */
const longestContext = 131_072;

/** What the stage's own properties say. */
const typed = new Set(["train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "gradient_clipping"]);
const isTyped = (path: string): boolean => typed.has(path) || path === "zero_optimization.stage" || /^(?:bf16|fp16)\.enabled$/.test(path);

/** The configuration with numbers where the Trainer would put them, and without what asks it to. */
function resolved(config: Section, { batch, micro, ranks, sequence, clip, precision }: Facts, hidden: number | null): Section {
  const accumulation = (batch.value * sequence) / (micro.value * ranks);
  const filled: Record<string, Document> = {};
  const buckets = hidden === null ? new Map<string, number>() : filledBySize(config, hidden);
  const clean = (section: Section, prefix = ""): Section =>
    Object.fromEntries(
      Object.entries(section).flatMap(([key, value]): [string, Document][] => {
        const path = `${prefix}${key}`;
        const size = buckets.get(path);
        if (value === "auto") return size === undefined ? [] : [[key, size]];
        return [[key, isSection(value) ? clean(value, `${path}.`) : coerced(value)]];
      }),
    );
  Object.assign(filled, clean(config), {
    train_batch_size: batch.value,
    train_micro_batch_size_per_gpu: micro.value,
    gradient_accumulation_steps: accumulation,
    gradient_clipping: clip.value,
  });
  // runtime/zero/config.py: read_zero_config_deprecated
  if (typeof config["zero_optimization"] === "boolean")
    filled["zero_optimization"] = { stage: config["zero_optimization"] ? 1 : 0 };
  // The old name is read where the new one is not there.
  if ("bf16" in filled) delete filled["bfloat16"];
  const stage = atPath(filled, "zero_optimization.stage");
  if (typeof stage === "boolean")
    filled["zero_optimization"] = { ...(filled["zero_optimization"] as Section), stage: Number(stage) };
  if (typeof config["log_level"] === "string") filled["log_level"] = config["log_level"].toLowerCase();
  for (const name of ["bf16", "fp16"] as const) {
    const section = config[name];
    if (isSection(section) && section["enabled"] === "auto")
      filled[name] = { ...(filled[name] as Section), enabled: precision.value === name };
  }
  return filled;
}

/** The engine takes `"2"` for 2 and `"true"` for true. */
function coerced(value: Document): Document {
  if (typeof value !== "string") return value;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value)) return Number(value);
  return /^(?:true|false)$/i.test(value) ? value.toLowerCase() === "true" : value;
}

/** Keys of the raw block that are refused, with the reason. */
function refusedKeys({ pipeline, diagnostics }: Compilation): readonly Left[] {
  const stage = pipeline.steps.find((step): step is StageStep => step.kind === "stage");
  return diagnostics.flatMap(({ severity, span, message }) => {
    const path = [...(stage?.rawSpans ?? [])].find(([, at]) => at.start === span.start && at.end === span.end)?.[0];
    return severity === "error" && path !== undefined ? [{ what: path, why: message }] : [];
  });
}

function changedIn({ pipeline, plan }: Compilation, wanted: Section): readonly string[] {
  const lowered = loweredConfig({ pipeline, plan });
  return lowered === null ? [] : changedKeys(wanted, lowered);
}

/** `deepspeed.json` of the file's stage; `null` where it has none. */
export function loweredConfig({ pipeline, plan }: Pick<Compilation, "pipeline" | "plan">): Section | null {
  const stage = pipeline.steps.find((step): step is StageStep => step.kind === "stage");
  const planned = plan.stages.find(({ name }) => name === stage?.name);
  if (stage === undefined || planned === undefined) return null;
  const file = lowerStage(stage, planned, pipeline.launch.cluster).find(({ path }) => path.endsWith("deepspeed.json"));
  return file === undefined ? null : (JSON.parse(file.text) as Section);
}

/** Somebody's own program is another one's here. */
function programOf(run: Run | null): readonly Left[] {
  const name = run?.program?.text?.split("/").at(-1);
  return name === undefined
    ? []
    : [{ what: `the program ${name}`, why: "cdr's own training program runs the stage, with the model and data of the file" }];
}

function startOf({ documents, scripts }: Launch): Span {
  const source = documents[0]?.source ?? scripts[0]?.source ?? { path: "", text: "" };
  return { source, start: 0, end: Math.min(1, source.text.length) };
}

