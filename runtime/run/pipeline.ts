/** `cdrc run`: every wanted step in its order, each found, attached to, resumed or started, and watched to its end. */
import type { Handle } from "../target.ts";
import { seen, waiting, type PipelineView, type RunView } from "../view/model.ts";
import { renderFailure } from "../view/failure.ts";
import { renderSummary } from "../view/summary.ts";
import type { Snapshot } from "../watch/snapshot.ts";
import { appendState } from "../state/events.ts";
import { targetOf } from "../targets.ts";
import type { Compiled } from "./compiled.ts";
import { factsOf, shown, type RunFacts } from "./document.ts";
import { interruptsOf, type Wish } from "./interrupts.ts";
import { isRefusal, type Refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import { samplesOf } from "./samples.ts";
import type { Screen } from "./screen.ts";
import { startRun } from "./start.ts";
import { statusOf } from "./status.ts";
import { launchWords, watchRun } from "./watch-run.ts";

export interface Outcome {
  readonly exitCode: 0 | 3 | 130;
  readonly runs: readonly RunFacts[];
  readonly refusal: Refusal | null;
}

export interface Supervised {
  readonly compiled: Pick<Compiled, "file" | "bundle" | "launch">;
  readonly runs: readonly ResolvedRun[];
  readonly title: string;
  readonly screen: Screen;
  /** Writes the report of a finished stage and returns its path; `null` where there is none to write. */
  readonly report: (directory: string) => Promise<string | null>;
}

type Ending = { readonly kind: "done" } | { readonly kind: "ended"; readonly snapshot: Snapshot | null } | Refusal;

export async function supervise({ compiled, runs, title, screen, report }: Supervised): Promise<Outcome> {
  let view: PipelineView = {
    title,
    runs: runs.map(({ spec }) => waiting(spec.step, spec.id, shown(spec.directory))),
    wish: null,
  };
  const put = (index: number, change: (run: RunView) => RunView): void => {
    view = { ...view, runs: view.runs.map((run, at) => (at === index ? change(run) : run)) };
    screen.show(view);
  };
  const interrupts = interruptsOf((wish) => {
    view = { ...view, wish: wordsOf(wish) };
    screen.show(view);
    if (!screen.drawn) screen.say([wordsOf(wish)]);
  });
  const handles = new Map<string, Handle>();
  const queueing = compiled.launch.target.kind === "slurm";

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
      screen.say([`${run.spec.step.name}: in use by a live run (${status.snapshot.verdict.raw}); attached to it`]);
      return "started";
    }
    const after = run.spec.step.inputs.flatMap(({ step }) => handles.get(step) ?? []);
    const started = await startRun(run, compiled.file, compiled.bundle, { after, next: status.next });
    if (isRefusal(started)) return started;
    handles.set(run.spec.step.name, started.handle);
    return "started";
  };

  const finish = async (index: number): Promise<Ending> => {
    const run = runs[index];
    if (run === undefined) return { kind: "done" };
    const snapshot = await watchRun(run.spec.directory, interrupts.wish, (look) =>
      put(index, (before) => ({ ...seen(before, look), note: noteOf(look) })),
    );
    if (snapshot !== null) put(index, (before) => ({ ...seen(before, snapshot), note: "" }));
    return snapshot?.verdict.state === "done" ? { kind: "done" } : { kind: "ended", snapshot };
  };

  const walk = async (): Promise<Ending> => {
    screen.show(view);
    const begun: ("done" | "started")[] = [];
    if (queueing) {
      for (const index of runs.keys()) {
        const answer = await begin(index);
        if (isRefusal(answer)) return answer;
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
    const reports = await reportsOf(view, runs, report, screen);
    screen.close(view);
    screen.say(closing({ ending, view, runs, screen, reports, wish: interrupts.wish() }));
    return {
      exitCode: ending.kind === "done" ? 0 : interrupts.wish() === null ? 3 : 130,
      runs: view.runs.map((run, index) =>
        factsOf(run, runs[index]?.spec.directory ?? "", reports.get(run.id) ?? null),
      ),
      refusal: ending.kind === "refusal" ? ending : null,
    };
  } finally {
    interrupts.close();
  }
}

function wordsOf(wish: Wish): string {
  return wish === "save"
    ? "saving, then stopping… (ctrl-c again: stop at once and lose what was not saved)"
    : "stopping at once…";
}

/** While an environment is made or an agent starts, its own last words say what is going on. */
function noteOf({ directory, record, verdict }: Snapshot): string {
  if (verdict.state !== "starting" && verdict.state !== "preflight") return "";
  return launchWords(directory, record.attempt).at(-1) ?? "";
}

async function cancelRest(runs: readonly ResolvedRun[], handles: ReadonlyMap<string, Handle>): Promise<void> {
  for (const { spec } of runs) {
    const handle = handles.get(spec.step.name);
    if (handle === undefined) continue;
    await targetOf(handle.target).signal(handle, "kill", spec.directory);
    appendState(spec.directory, 0, "cancelled", "an earlier step did not finish");
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
    if (run.step.kind !== "stage" || run.progress.train.length === 0) continue;
    const path = await report(runs[index]?.spec.directory ?? "").catch((error: unknown) => {
      screen.say([`the report could not be written: ${error instanceof Error ? error.message : String(error)}`]);
      return null;
    });
    if (path !== null) made.set(run.id, path);
  }
  return made;
}

interface Closing {
  readonly ending: Ending;
  readonly view: PipelineView;
  readonly runs: readonly ResolvedRun[];
  readonly screen: Screen;
  readonly reports: ReadonlyMap<string, string>;
  readonly wish: Wish | null;
}

function closing({ ending, view, runs, screen, reports, wish }: Closing): string[] {
  if (ending.kind === "refusal") return renderRefusal(ending, screen);
  if (ending.kind === "done") {
    const samples = runs.flatMap(({ spec }) =>
      spec.step.kind === "sample" ? samplesOf(spec.directory).map((text) => ({ step: spec.step.name, text })) : [],
    );
    const report = [...reports.values()].at(-1);
    return renderSummary(
      { runs: view.runs, samples, report: report === undefined ? null : shown(report) },
      screen.paint,
    );
  }
  const { snapshot } = ending;
  if (snapshot === null) return [" stopped before the next step began; cdrc run goes on from here", ""];
  if (snapshot.verdict.state === "cancelled") return stopped(snapshot, wish, screen);
  const { directory, record } = snapshot;
  const facts = { snapshot, directory: shown(directory), launch: launchWords(directory, record.attempt) };
  return renderFailure(facts, Math.min(screen.columns(), 120), screen.paint);
}

function stopped({ record, progress, verdict }: Snapshot, wish: Wish | null, screen: Screen): string[] {
  const saved = progress.checkpoints.at(-1);
  const where = saved === undefined ? "nothing was saved" : `saved at step ${saved.step}`;
  const who = wish === null ? ` (${verdict.reason})` : "";
  return [
    ` ${screen.paint.yellow("■")} ${record.step.name} stopped${who}, ${where}`,
    `   ${screen.paint.dim("next")}  cdrc resume ${record.step.name}, or the same cdrc run again`,
    "",
  ];
}

export function renderRefusal({ message, advice }: Refusal, screen: Pick<Screen, "paint">): string[] {
  const [first = "", ...others] = message.split("\n");
  return [
    "",
    ` ${screen.paint.red("✖")} ${first}`,
    ...others.map((line) => `   ${line}`),
    ...(advice === null ? [] : [`   ${screen.paint.dim("next")}  ${advice}`]),
    "",
  ];
}
