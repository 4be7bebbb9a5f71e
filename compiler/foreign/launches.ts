/** The launches that files start, each by itself: what one is told is not held against another. */
import type { Document, Launch, Run } from "./launch.ts";
import type { Located } from "./located.ts";
import { isMegatron } from "./megatron.ts";
import { accelerateSettings, isTrainer, trainerSettings } from "./trainer-settings.ts";
import { worldOf } from "./world.ts";

/** A script that sweeps starts one program many times: further points are told apart by little that rules ask. */
const most = 64;

/**
 * One launch for each training that the files start, with the documents that it names and those that nobody names. Commands that
 * only prepare belong to each.
 */
export function launchesOf(launch: Launch): readonly Launch[] {
  const own = distinct(launch.runs.filter(isStart)).slice(0, most);
  if (own.length < 2) return [launch];
  const helpers = new Set(launch.runs.filter((run) => !isStart(run)));
  const named = new Map(own.map((run) => [run, namedBy(run, launch.documents)]));
  const claimed = new Set([...named.values()].flatMap((documents) => [...documents]));
  return own.map((run) => {
    const documents = launch.documents.filter(
      (document) => named.get(run)?.has(document) === true || !claimed.has(document),
    );
    const runs = launch.runs.filter((each) => each === run || helpers.has(each));
    const accelerate = accelerateSettings(documents, runs);
    return {
      ...launch,
      documents,
      runs,
      trainer: trainerSettings(documents, runs),
      accelerate,
      world: worldOf(run, accelerate, launch.supplied),
    };
  });
}

/** Programs other than launchers that train. */
const trainers = new Set(["llamafactory-cli", "axolotl", "nanotron", "composer"]);

function isStart(run: Run): boolean {
  const { kind, word } = run.launcher;
  if (kind === "other") return trainers.has(word.text?.split("/").at(-1) ?? "");
  return kind !== "python" || run.step !== null || isMegatron(run) || isTrainer(run);
}

/** One command that is reached over several ways, such as a function that is called once for each node, counts once. */
export function distinct(runs: readonly Run[]): readonly Run[] {
  const first = new Map<string, Run>();
  for (const run of runs) {
    const { source, start } = run.launcher.word.span;
    const key = `${source.path} ${start} ${textOf(run)}`;
    if (!first.has(key)) first.set(key, run);
  }
  return [...first.values()];
}

/** A command as one line. */
export function textOf({ launcher, program, args }: Run): string {
  return [launcher.word, ...(program === null ? [] : [program]), ...args].map(({ text }) => text ?? "…").join(" ");
}

/** Documents that a command names, and those that these name. */
function namedBy({ command }: Run, documents: readonly Document[]): ReadonlySet<Document> {
  const found = new Set<Document>();
  let names = command.words.flatMap(({ text }) => (text === null ? [] : [text, text.slice(text.indexOf("=") + 1)]));
  while (names.length > 0) {
    const bases = new Set(names.map(baseName));
    const next = documents.filter((document) => !found.has(document) && bases.has(baseName(document.path)));
    for (const document of next) found.add(document);
    names = next.flatMap(({ root }) => textsIn(root));
  }
  return found;
}

function textsIn(node: Located): string[] {
  if (node.kind === "list") return node.items.flatMap(textsIn);
  if (node.kind === "map") return node.entries.flatMap(({ value }) => textsIn(value));
  return typeof node.value === "string" && /\.(?:json|ya?ml)$/.test(node.value) ? [node.value] : [];
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
