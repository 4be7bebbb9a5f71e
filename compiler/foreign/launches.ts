/** The launches that files start, each by itself: what one is told is not held against another. */
import { alternativesOf, namedBy, narrowed } from "./documents/configurations.ts";
import type { Document, Launch, Run } from "./launch.ts";
import { isStart } from "./starts.ts";

/** A script that sweeps starts one program many times: further points are told apart by little that rules ask. */
const most = 64;

/**
 * One launch for each training that the files start, with the documents that it names and those that nobody names. Commands that
 * only prepare belong to each.
 */
export function launchesOf(launch: Launch): readonly Launch[] {
  const starts = launch.runs.filter(isStart);
  const own = starts.length < 2 ? starts : distinct(starts).slice(0, most);
  if (own.length < 2) return alternativesOf(launch);
  const helpers = new Set(launch.runs.filter((run) => !isStart(run)));
  const named = new Map(own.map((run) => [run, namedBy(run, launch.documents)]));
  const claimed = new Set([...named.values()].flatMap((documents) => [...documents]));
  return own.flatMap((run) => {
    const documents = launch.documents.filter(
      (document) => named.get(run)?.has(document) === true || !(claimed.has(document) || isInCommand(document)),
    );
    const runs = launch.runs.filter((each) => each === run || helpers.has(each));
    return alternativesOf(narrowed(launch, documents, runs, run));
  });
}

const isInCommand = ({ inside }: Document): boolean => inside !== undefined && "words" in inside;

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
