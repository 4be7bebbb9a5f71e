/** Files that people already have as one `.cdr` that starts the same launch. Nothing of them is ever run. */
import { errorsIn, type Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Source, Span } from "../../dsl/source/source.ts";
import { leftAround } from "./around.ts";
import { compiledText } from "./compiled.ts";
import {
  importFork,
  importLeftOut,
  importNothing,
  importNotRun,
  importSecret,
  importSeveral,
} from "../diagnostics/import.ts";
import { architectureOf } from "../foreign/known/gpus.ts";
import { checkForeign } from "../foreign/check.ts";
import { assemble } from "../foreign/assemble.ts";
import type { Beside } from "../foreign/beside.ts";
import { enginesOf } from "../foreign/engines.ts";
import type { Launch, Run, Supplied } from "../foreign/launch.ts";
import { launchesOf, textOf } from "../foreign/launches.ts";
import { isFork, isMegatron } from "../foreign/megatron.ts";
import { worldOf } from "../foreign/world.ts";
import { estimateAsWarning } from "./estimate.ts";
import { guessesIn, type Guess } from "./guesses.ts";
import { leftOutIn } from "./left-out.ts";
import { manifestScripts } from "./manifest/script.ts";
import { restartsLeft } from "./manifest/start.ts";
import { importMegatron } from "./megatron/import.ts";
import type { Place } from "./place.ts";
import { trainingRuns } from "./runs.ts";
import { redactor } from "./redact.ts";
import { isSecret, isSecretText, secretsIn } from "./secrets.ts";
import { gpuOf, slurmTarget } from "./slurm.ts";
import { importTrainer } from "./trainer/import.ts";
import { marked } from "./variables.ts";

export interface ImportOptions {
  readonly supplied: Supplied;
  /** Which of several launches, from 1 on. */
  readonly launch: number | null;
}

export interface Imported {
  /** The file; `null` where the diagnostics say why there is none. */
  readonly text: string | null;
  readonly guesses: readonly Guess[];
  /** Keys in an engine's own words. */
  readonly raw: readonly string[];
  /** What the file, compiled, does not say as the launch did. */
  readonly changed: readonly string[];
  /** What `cdrc compile` refuses of the file, because this version of cdrc does not carry it out. */
  readonly notRun: readonly string[];
  /** What was found on the way, in the files that were given. */
  readonly diagnostics: readonly Diagnostic[];
  /** What is wrong with the written file: with the launch, that is. */
  readonly problems: readonly Diagnostic[];
  readonly kinds: readonly { readonly path: string; readonly kind: string }[];
  readonly launches: readonly string[];
}

export function importLaunch(
  files: readonly Source[],
  options: ImportOptions,
  beside: Beside | Beside["text"],
): Imported {
  const { imported, secrets, at } = read(files, options, beside);
  const wrong = imported.text === null ? [] : errorsOf(files, options, beside, imported);
  const hidden = redactor([...secrets.map(({ value }) => value), ...files.flatMap(({ text }) => secretsIn(text))]);
  const notRun = imported.text === null ? [] : unexecutedIn(imported.text);
  return {
    ...imported,
    changed: imported.changed.map(hidden.text),
    notRun: notRun.map(hidden.text),
    text: imported.text === null ? null : hidden.text(imported.text),
    problems: imported.problems.map(estimateAsWarning),
    launches: imported.launches.map(hidden.text),
    diagnostics: [
      ...imported.diagnostics,
      ...wrong,
      ...secrets.map(({ name, span }) => importSecret(span, { name })),
      ...notRun.map((why) => importNotRun(at, { why })),
    ].map(hidden.diagnostic),
  };
}

/** What is wrong with the launch, where the written file does not say it too. */
function errorsOf(
  files: readonly Source[],
  { supplied }: ImportOptions,
  beside: Beside | Beside["text"],
  { diagnostics, problems, launches }: Reading["imported"],
): readonly Diagnostic[] {
  const isError = ({ severity }: Diagnostic): boolean => severity === "error";
  const told = new Set([...diagnostics, ...problems].filter(isError).map(({ code }) => code));
  // What is wrong with another launch of the files is nothing of the one that was chosen.
  if (launches.length > 1) return [];
  return checkForeign(files, supplied, beside).diagnostics.filter((found) => isError(found) && !told.has(found.code));
}

/** What `cdrc compile` would refuse of the written file, though nothing is wrong with it. */
const unexecutedIn = (text: string): readonly string[] =>
  compiledText(text)
    .unexecuted.of([], "compile")
    .map(({ message }) => message);

interface Reading {
  readonly imported: Omit<Imported, "notRun">;
  /** The program that is imported. */
  readonly at: Span;
  readonly secrets: readonly Secret[];
}

function read(
  files: readonly Source[],
  { supplied, launch: chosen }: ImportOptions,
  beside: Beside | Beside["text"],
): Reading {
  const first = assemble(files, supplied, beside, { containers: false });
  const inner = manifestScripts(first.launch);
  const assembled =
    inner.length === 0
      ? first
      : assemble([...files, ...inner.map(({ source }) => source)], supplied, beside, { containers: false });
  const { launch, diagnostics, kinds } = assembled;
  const nothing = { text: null, guesses: [], raw: [], changed: [], problems: [], kinds };
  const runs = trainingRuns(launch);
  const launches = runs.map(textOf);
  const secrets = runs.flatMap(secretsOf);
  const refuse = (...found: readonly Diagnostic[]): Reading => ({
    imported: { ...nothing, launches, diagnostics: [...diagnostics, ...found] },
    secrets,
    at: startOf(files[0]),
  });
  if (errorsIn(diagnostics) > 0) return refuse();
  if (runs.length > 1 && chosen === null) {
    const [top] = runs;
    const related = runs.map((run, at) => ({
      message: `launch ${at + 1}: ${short(textOf(run))}`,
      span: spanOf(run),
    }));
    return refuse(importSeveral(spanOf(top as Run), { count: runs.length }, { related }));
  }
  const run = runs[(chosen ?? 1) - 1] ?? null;
  if (chosen !== null && run === null)
    return refuse(
      importNothing(startOf(files[0]), {
        what: `there are ${runs.length} launches, but \`--launch\` is ${chosen}`,
      }),
    );
  const [manifest] = inner;
  const place = placeOf(run, runs.length > 1 ? ofRun(launch, run) : launch, supplied, manifest?.target ?? null);
  const left = manifest === undefined ? [] : [...manifest.left, ...restartsLeft(manifest.at, place.target)];
  const title = titleOf(files);
  if (run !== null && isMegatron(run) && isFork(run))
    return refuse(
      importFork(spanOf(run), {
        program: run.program?.text ?? "this program",
        why: "it is a fork of Megatron with DeepSpeed",
      }),
    );
  if (run !== null && isMegatron(run)) {
    const named = enginesOf(launch).find(({ engine }) => engine === "megatron");
    const made = importMegatron(
      {
        program: run.program?.text ?? null,
        entry: null,
        args: marked(run.args),
        env: place.env,
        world: place.nodes * place.perNode,
        architecture: architectureOf(place.gpu),
        ...(named?.written == null ? {} : { release: named.version }),
      },
      place,
      title,
    );
    const lost = made.changed.map((what) =>
      importLeftOut(spanOf(run), { what, why: "the compiled file sets it differently" }),
    );
    const guesses = guessesIn(made.text);
    return {
      imported: {
        ...made,
        ...{ problems: [...estimateOf(made), ...made.diagnostics], guesses, kinds, launches },
        changed: [...made.changed, ...leftOutIn(left)],
        diagnostics: [...diagnostics, ...(made.refused ?? []), ...lost, ...left, ...leftAround(run, launch)],
      },
      secrets: secretsOf(run),
      at: spanOf(run),
    };
  }
  const made = importTrainer(runs.length > 1 ? ofRun(launch, run) : launch, run, place, title);
  if (made === null)
    return refuse(
      importNothing(startOf(files[0]), {
        what: "a script prepares or does something else, or its program is computed",
      }),
    );
  return {
    imported: {
      ...made,
      ...{ problems: [...estimateOf(made), ...made.problems], guesses: guessesIn(made.text), kinds, launches },
      // Whatever of the training a warning says is not in the file, the file says differently.
      changed: [...new Set([...made.changed, ...leftOutIn([...made.diagnostics, ...left])])],
      diagnostics: [...diagnostics, ...made.diagnostics, ...left, ...(run === null ? [] : leftAround(run, launch))],
    },
    secrets: run === null ? [] : secretsOf(run),
    at: run === null ? startOf(files[0]) : spanOf(run),
  };
}

const estimateOf = ({ estimate }: { readonly estimate?: Diagnostic }): readonly Diagnostic[] =>
  estimate === undefined ? [] : [estimate];

/** What the other trainings of the files are told is none of this one's. */
function ofRun(launch: Launch, run: Run | null): Launch {
  return run === null ? launch : (launchesOf(launch).find(({ runs }) => runs.includes(run)) ?? launch);
}

function placeOf(run: Run | null, launch: Launch, supplied: Supplied, target: Place["target"] | null): Place {
  const world = run === null ? launch.world : worldOf(run, launch.accelerate, supplied, launch.listings);
  const directives = run?.script.directives ?? new Map();
  const nodes = world.nodes ?? (world.size === null ? 1 : Math.max(1, Math.ceil(world.size / 8)));
  const all = supplied.world ?? world.size;
  const perNode = all === null ? (world.perNode ?? supplied.gpusPerNode ?? 8) : Math.max(1, Math.round(all / nodes));
  const isKnown = all !== null;
  const env: Record<string, string> = {};
  for (const [name, { value }] of run?.command.env ?? []) {
    // SkyPilot sets its own wherever it starts a task.
    if (value !== null && !name.startsWith("SKYPILOT_")) env[name] = value;
  }
  return {
    nodes,
    perNode,
    guessedSize: isKnown ? null : "the number of ranks is known only where it runs; give it with `--world`",
    gpu: launch.supplied.gpu ?? gpuOf(directives),
    env,
    target: endingWith(run, target) ?? (directives.size > 0 ? slurmTarget(directives) : { kind: "local" }),
  };
}

/** What cannot go on is not started again: a file that says both is refused. */
function endingWith(run: Run | null, target: Place["target"] | null): Place["target"] | null {
  if (target?.kind !== "kubernetes" || target.retries === 0) return target;
  if (run === null || !isMegatron(run) || run.options.has("load")) return target;
  return {
    ...target,
    retries: 0,
    backoff: null,
    guess: "the manifest restarts a failed run, but nothing here resumes it",
  };
}

interface Secret {
  readonly name: string;
  readonly value: string;
  readonly span: Span;
}

/** Keys on command lines and in the environment of what a script starts. */
function secretsOf({ command, args }: Run): readonly Secret[] {
  const inEnv = [...command.env].flatMap(([name, { value, span }]): Secret[] =>
    value !== null && value !== "" && (isSecret(name, value) || isSecretText(value)) ? [{ name, value, span }] : [],
  );
  const inArgs = args.flatMap(({ text, span }, at): Secret[] => {
    if (text === null) return [];
    const before = args[at - 1]?.text ?? "";
    const [own = "", ...rest] = text.split("=");
    if (rest.length > 0 && /^--?[\w-]+$/.test(own) && isSecret(own.replace(/^-+/, ""), rest.join("=")))
      return [{ name: own, value: rest.join("="), span }];
    const named = /^--?[\w-]+$/.test(before) && isSecret(before.replace(/^-+/, ""), text) && !text.startsWith("-");
    return named || isSecretText(text) ? [{ name: named ? before : "an argument", value: text, span }] : [];
  });
  return [...inEnv, ...inArgs];
}

function titleOf(files: readonly Source[]): string {
  const names = files.map(({ path }) => path.split("/").at(-1) ?? path);
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more files`] : names;
  const text = shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : (shown[0] ?? "");
  return `What ${text} ${names.length > 1 ? "start" : "starts"}.`.replaceAll(/[\r\n]/g, " ");
}

const spanOf = ({ program, command }: Run): Span => program?.span ?? command.span;

function startOf(source: Source | undefined): Span {
  const from = source ?? { path: "", text: "" };
  return { source: from, start: 0, end: Math.min(1, from.text.length) };
}

const short = (text: string): string => (text.length > 72 ? `${text.slice(0, 71)}…` : text);
