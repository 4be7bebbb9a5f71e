/** What `cdrc run` would do, as text: a person can read it, and a shell can run it, here or on another machine. */
import { dirname, join } from "node:path";
import { oneLine, quote, quoteWords } from "../../compiler/targets/quote.ts";
import { targetOf } from "../targets.ts";
import type { Handle, Request } from "../target.ts";
import { ended } from "../watch/progress.ts";
import type { Snapshot } from "../watch/snapshot.ts";
import { shown } from "./document.ts";
import type { ResolvedRun } from "./resolve.ts";
import { nextAttempt } from "./status.ts";
import { typed } from "./typed.ts";

/** `request`: of the attempt that would come next; `null` for a step that is done or runs now. */
export interface Rehearsed {
  readonly run: ResolvedRun;
  readonly attempt: number;
  readonly state: "open" | "live" | "done";
  readonly request: Request | null;
}

/** `snapshots`: of the runs that were started before, by directory. Nothing is written. */
export function rehearse(runs: readonly ResolvedRun[], snapshots: ReadonlyMap<string, Snapshot>): Rehearsed[] {
  const handles = new Map<string, Handle>();
  return runs.map((run, index) => {
    const { spec } = run;
    const snapshot = snapshots.get(spec.directory);
    const state = stateOf(snapshot);
    const attempt = nextAttempt(spec.directory);
    if (state !== "open") {
      if (state === "live" && snapshot?.record.handle) handles.set(spec.step.name, snapshot.record.handle);
      return { run, attempt: snapshot?.attempt ?? 0, state, request: null };
    }
    const after = spec.step.inputs.flatMap(({ step }) => handles.get(step) ?? []);
    const target = spec.launch.target.kind;
    if (target === "slurm") handles.set(spec.step.name, { target, job: placeholder(index), cluster: null });
    return { run, attempt, state, request: targetOf(target).request({ ...spec, attempt, after }) };
  });
}

/** `compile`: the words that write the bundle of these runs, and where they are to be said. */
export function renderDryRun(rehearsed: readonly Rehearsed[], compile: readonly string[], cwd: string): string {
  return `${rehearsed.flatMap((one, index) => section(one, index, compile, cwd)).join("\n")}\n`;
}

function stateOf(snapshot: Snapshot | undefined): Rehearsed["state"] {
  const state = snapshot?.verdict.state ?? "draft";
  return state === "done" ? "done" : state === "draft" || ended.has(state) ? "open" : "live";
}

function section(
  { run: { spec }, attempt, state, request }: Rehearsed,
  index: number,
  compile: readonly string[],
  cwd: string,
): string[] {
  const { step, id, directory, bundle } = spec;
  if (request === null) {
    return [
      `# ${step.name} (${id}): ${state === "done" ? "done before" : "runs now"}, in ${oneLine(shown(directory))}`,
      "",
    ];
  }
  const folders = [join(directory, "logs", `a${attempt}`), ...request.files.map(({ path }) => dirname(path))];
  const words = quoteWords([...compile, "--output", bundle]);
  return [
    `# ${step.name} (${id}), ${request.target}${attempt > 0 ? `, goes on: attempt a${attempt}` : ""}`,
    `mkdir -p ${quoteWords([...new Set(folders)])}`,
    `[ -d ${quoteWords([bundle])} ] || (cd ${quoteWords([cwd])} && ${typed(words)} >/dev/null)`,
    `cd ${quoteWords([request.cwd])}`,
    ...Object.entries(request.env).map(([name, value]) => `export ${name}=${quoteWords([value])}`),
    ...request.secrets.map((name) => `: "\${${name}:?a secret: it is taken from the environment}"`),
    ...request.files.flatMap((file) => {
      const end = endOf(file.text);
      return [`cat >${quoteWords([file.path])} <<'${end}'`, file.text.trimEnd(), end];
    }),
    commandOf(request, index),
    "",
  ];
}

function commandOf({ target, command }: Request, index: number): string {
  const words = command.map((word) => (word === "" ? quote(word) : quoteWords([word]))).join(" ");
  if (target !== "slurm") return words;
  // What sbatch prints is the number that later steps wait for.
  return `job_${index}=$(${words.replaceAll(/<job_(\d+)>/g, (_, of: string) => `'"\${job_${of}%%;*}"'`)})`;
}

function placeholder(index: number): string {
  return `<job_${index}>`;
}

/** A word that ends a here-document: no line of the text is that word, whatever the text holds. */
function endOf(text: string): string {
  const lines = new Set(text.split("\n"));
  let word = "END";
  while (lines.has(word)) word += "_";
  return word;
}
