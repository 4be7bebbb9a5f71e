/** Runs in their order: each found, attached to, resumed or started, and watched to its end. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Handle } from "../target.ts";
import { seen, waiting, type PipelineView, type RunView } from "../view/model.ts";
import { launchWords } from "../logs/words.ts";
import { ended } from "../watch/progress.ts";
import type { Snapshot } from "../watch/snapshot.ts";
import { appendState } from "../state/events.ts";
import { readRecord } from "../state/record.ts";
import { pollAll, targetOf } from "../targets.ts";
import { renderClosing, type Ending } from "./closing.ts";
import { factsOf, shown, type RunFacts } from "./document.ts";
import { interruptsOf, type Wish } from "./interrupts.ts";
import { isRefusal, type Refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import type { Screen } from "./screen.ts";
import { discardRun, type Order, type Started, type Taken } from "./start.ts";
import { statusOf } from "./status.ts";
import { watchRun } from "./watch-run.ts";

export interface Outcome {
  readonly exitCode: 0 | 3 | 130;
  readonly runs: readonly RunFacts[];
  readonly refusal: Refusal | null;
}

export interface Supervised {
  readonly runs: readonly ResolvedRun[];
  /** Starts the next attempt at one of them; `null`: what does not run already is left alone. */
  readonly start: ((run: ResolvedRun, order: Order) => Promise<Started | Refusal | Taken>) | null;
  /** Whether all are handed over at once, to a target that keeps their order. */
  readonly queueing: boolean;
  /** What ctrl-c means: to the run, or to the watching alone. */
  readonly interrupt: "save" | "leave";
  readonly title: string;
  readonly screen: Screen;
  /** Writes the report of a finished stage and returns its path; `null` where there is none to write. */
  readonly report: (directory: string) => Promise<string | null>;
}

export async function supervise(supervised: Supervised): Promise<Outcome> {
  const { runs, start, queueing, interrupt, title, screen, report } = supervised;
  let view: PipelineView = {
    title,
    runs: runs.map(({ spec }) => waiting(spec.step, spec.id, shown(spec.directory))),
    wish: null,
    hint: interrupt === "save" ? "ctrl-c: save and stop" : "ctrl-c: stop watching; the run continues",
  };
  const leaving = new AbortController();
  const put = (index: number, change: (run: RunView) => RunView): void => {
    view = { ...view, runs: view.runs.map((run, at) => (at === index ? change(run) : run)) };
    screen.show(view);
  };
  const interrupts = interruptsOf((wish) => {
    if (interrupt === "leave") {
      leaving.abort();
      return;
    }
    view = { ...view, wish: wordsOf(wish) };
    screen.show(view);
    if (!screen.drawn) screen.say([wordsOf(wish)]);
  });
  const handles = new Map<string, Handle>();
  /** Steps whose first attempt this command began. */
  const fresh = new Set<string>();

  const begin = async (index: number): Promise<"done" | "started" | Refusal> => {
    const run = runs[index];
    if (run === undefined) return "done";
    const status = await statusOf(run.spec.directory);
    if (isRefusal(status)) return status;
    if (status.kind !== "open") {
      put(index, (before) => ({ ...seen(before, status.snapshot), before: status.kind === "done" }));
      const { handle } = status.snapshot.record;
      if (status.kind === "done") return "done";
      if (handle !== null) handles.set(run.spec.step.name, handle);
      if (start !== null)
        screen.say([`${run.spec.step.name}: in use by a live run (${status.snapshot.verdict.raw}); attached to it`]);
      return "started";
    }
    if (start === null) return "started";
    const after = run.spec.step.inputs.flatMap(({ step }) => handles.get(step) ?? []);
    const started = await start(run, { after, next: status.next });
    if (isRefusal(started)) return started;
    if (started === "taken") return begin(index);
    handles.set(run.spec.step.name, started.handle);
    if (started.attempt === 0) fresh.add(run.spec.step.name);
    return "started";
  };

  const finish = async (index: number): Promise<Ending> => {
    const run = runs[index];
    if (run === undefined) return { kind: "done" };
    const { directory } = run.spec;
    const wish = (): Wish | null => (interrupt === "save" ? interrupts.wish() : null);
    const snapshot = await watchRun({ directory, wish, leave: leaving.signal }, (look) =>
      put(index, (before) => ({ ...seen(before, look), note: noteOf(look) })),
    );
    if (snapshot !== null) put(index, (before) => ({ ...seen(before, snapshot), note: "" }));
    if (leaving.signal.aborted && snapshot !== null && !ended.has(snapshot.verdict.state)) return { kind: "left" };
    return snapshot?.verdict.state === "done" ? { kind: "done" } : { kind: "ended", snapshot };
  };

  const walk = async (): Promise<Ending> => {
    screen.show(view);
    const begun: ("done" | "started")[] = [];
    if (queueing) {
      for (const index of runs.keys()) {
        const answer = await begin(index);
        if (isRefusal(answer)) {
          await withdraw(
            runs.filter(({ spec }) => fresh.has(spec.step.name)),
            handles,
          );
          return answer;
        }
        begun.push(answer);
      }
    }
    for (const index of runs.keys()) {
      if (interrupts.wish() !== null && !queueing) return { kind: "ended", snapshot: null };
      const answer = begun[index] ?? (await begin(index));
      if (isRefusal(answer)) return answer;
      const ending: Ending = answer === "done" ? { kind: "done" } : await finish(index);
      if (ending.kind === "done") continue;
      if (queueing) await cancelRest(runs.slice(index + 1), handles);
      return ending;
    }
    return { kind: "done" };
  };

  try {
    const ending = await walk();
    const unusable = unusableRun(ending, fresh);
    const reports = await reportsOf(view, runs, report, screen);
    const untouched = ending.kind === "refusal" && view.runs.every((run) => run.verdict.state === "draft");
    screen.close(untouched ? null : view);
    screen.say(
      renderClosing({ ending, view, runs, screen, reports, wish: interrupts.wish(), kept: unusable === null }),
    );
    if (unusable !== null) discardRun({ id: unusable.record.id, directory: unusable.directory });
    return {
      exitCode: ending.kind === "done" || ending.kind === "left" ? 0 : interrupts.wish() === null ? 3 : 130,
      runs: view.runs.map((run, index) =>
        factsOf(run, runs[index]?.spec.directory ?? "", reports.get(run.id) ?? null),
      ),
      refusal: ending.kind === "refusal" ? ending : null,
    };
  } finally {
    interrupts.close();
  }
}

/** Its input or its configuration was wrong, something was missing on the node, or there was no space. */
const beforehand: ReadonlySet<number> = new Set([65, 69, 73]);

/** A first attempt that failed before it did anything has nothing that anybody needs, once its words were shown. */
function unusableRun(ending: Ending, fresh: ReadonlySet<string>): Snapshot | null {
  if (ending.kind !== "ended" || ending.snapshot === null) return null;
  const { exit, attempt, record, progress } = ending.snapshot;
  const did = progress.train.length + progress.checkpoints.length > 0;
  const early = exit !== null && beforehand.has(exit.code) && attempt === 0 && !did;
  return early && fresh.has(record.step.name) ? ending.snapshot : null;
}

/** Takes back what was handed to a queue, when one of the later steps was refused. */
async function withdraw(runs: readonly ResolvedRun[], handles: ReadonlyMap<string, Handle>): Promise<void> {
  await cancelRest(runs, handles);
  const asked = runs.flatMap(({ spec }) => handles.get(spec.step.name) ?? []);
  for (let waited = 0; waited < 15_000; waited += 500) {
    const seen = await pollAll(asked);
    if (asked.every((handle) => ended.has(seen.get(handle)?.state ?? "lost"))) {
      for (const { spec } of runs) discardRun(spec);
      return;
    }
    await sleep(500);
  }
}

/** The one document of `--json`. */
export function printOutcome({ runs, refusal }: Outcome): void {
  const error = refusal === null ? {} : { error: { message: refusal.message, advice: refusal.advice } };
  process.stdout.write(`${JSON.stringify({ runs, ...error }, null, 2)}\n`);
}

function wordsOf(wish: Wish): string {
  return wish === "save"
    ? "saving, then stopping… (ctrl-c again: stop at once and lose unsaved work)"
    : "stopping at once…";
}

/** While an environment is made or an agent starts, its own last words say what is going on. */
function noteOf({ directory, attempt, verdict }: Snapshot): string {
  if (verdict.state !== "starting" && verdict.state !== "preflight") return "";
  return launchWords(directory, attempt).at(-1) ?? "";
}

async function cancelRest(runs: readonly ResolvedRun[], handles: ReadonlyMap<string, Handle>): Promise<void> {
  for (const { spec } of runs) {
    const handle = handles.get(spec.step.name);
    if (handle === undefined) continue;
    await targetOf(handle.target).signal(handle, "kill", spec.directory);
    const read = readRecord(spec.directory);
    if (read.ok) appendState(spec.directory, read.record.attempt, "cancelled", "an earlier step did not finish");
  }
}

async function reportsOf(
  view: PipelineView,
  runs: readonly ResolvedRun[],
  report: Supervised["report"],
  screen: Screen,
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  for (const [index, run] of view.runs.entries()) {
    if (run.step.kind !== "stage" || run.progress.train.length === 0 || !ended.has(run.verdict.state)) continue;
    const path = await report(runs[index]?.spec.directory ?? "").catch((error: unknown) => {
      screen.say([`the report could not be written: ${error instanceof Error ? error.message : String(error)}`]);
      return null;
    });
    if (path !== null) made.set(run.id, path);
  }
  return made;
}
