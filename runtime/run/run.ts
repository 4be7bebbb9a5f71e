/** The whole of `cdrc run` behind its options: what is printed where, and the exit code. */
import { dirname, join } from "node:path";
import { distance } from "fastest-levenshtein";
import { packageRoot } from "../../compiler/package-root.ts";
import { writeReport } from "../report/write.ts";
import { targetOf } from "../targets.ts";
import type { Compiled } from "./compiled.ts";
import { detach } from "./detach.ts";
import { renderDryRun } from "./dry-run.ts";
import { printOutcome, supervise } from "./pipeline.ts";
import { renderRefusal } from "./refusal-block.ts";
import { provision, versionOf } from "./provision.ts";
import { isRefusal, refusal, type Refusal } from "./refusal.ts";
import { needsPythonVersion, resolveRuns } from "./resolve.ts";
import { screenOf, type Colour, type Screen } from "./screen.ts";
import { dryRequest, startRun } from "./start.ts";

export interface RunOptions {
  /** Steps to run, with all they read from; every step when empty. */
  readonly names: readonly string[];
  readonly fresh: boolean;
  readonly detach: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly colour: Colour;
}

/** Exit code of the command. Talk goes to stderr, data to stdout. */
export async function runPipeline(compiled: Compiled, options: RunOptions): Promise<number> {
  const screen = screenOf(process.stderr, options.colour);
  const unknown = unknownStep(compiled, options.names);
  if (unknown !== null) return refuse(unknown, 2, options, screen);
  const trainer = join(packageRoot(), "trainer");
  const python = await pythonOf(compiled, trainer, options, screen);
  if (isRefusal(python)) return refuse(python, 3, options, screen);
  const runs = resolveRuns(compiled, { names: options.names, fresh: options.fresh, python });
  if (options.dryRun) {
    targetOf(compiled.launch.target.kind);
    const requests = runs.map((run) => ({ run, request: dryRequest(run) }));
    process.stdout.write(
      options.json ? `${JSON.stringify({ requests: requests.map(documentOf) }, null, 2)}\n` : renderDryRun(requests),
    );
    return 0;
  }
  if (options.detach) return detach(runs, options.json, screen);
  const outcome = await supervise({
    runs,
    start: (run, order) => startRun(run, compiled.file, compiled.bundle, order),
    queueing: compiled.launch.target.kind === "slurm",
    interrupt: "save",
    title: titleOf(compiled),
    screen,
    report: writeReport,
  });
  if (options.json) printOutcome(outcome);
  return outcome.exitCode;
}

/** Version of the interpreter; made ready in front of the user, except where nothing may be changed. */
async function pythonOf(
  compiled: Compiled,
  trainer: string,
  options: RunOptions,
  screen: Screen,
): Promise<string | Refusal> {
  if (options.dryRun && !needsPythonVersion(compiled)) return "";
  const interpreter = await provision(trainer, (line) => screen.say([line]));
  if (isRefusal(interpreter)) return interpreter;
  return needsPythonVersion(compiled) ? versionOf(interpreter) : "";
}

function titleOf({ file, launch }: Compiled): string {
  const { cluster, target } = launch;
  const machines = cluster.nodes > 1 ? `${cluster.nodes} nodes` : "this machine";
  return `${file} on ${launch.name} (${target.kind === "local" ? machines : target.kind})`;
}

function documentOf({ run, request }: { run: ReturnType<typeof resolveRuns>[number]; request: object }): object {
  const { step, id, directory } = run.spec;
  return { step: step.name, id, directory, folder: dirname(directory), request };
}

function unknownStep({ bundle, file }: Compiled, names: readonly string[]): Refusal | null {
  const known = bundle.steps.map((step) => step.name);
  const name = names.find((wanted) => !known.includes(wanted));
  if (name === undefined) return null;
  const [nearest] = [...known].sort((a, b) => distance(name, a) - distance(name, b));
  return refusal(
    `${file} has no step "${name}"; it has ${known.join(", ")}`,
    nearest === undefined ? null : `did you mean ${nearest}?`,
  );
}

function refuse(refused: Refusal, code: number, { json }: RunOptions, screen: Screen): number {
  screen.close(null);
  screen.say(renderRefusal(refused, screen.paint));
  if (json)
    process.stdout.write(
      `${JSON.stringify({ runs: [], error: { message: refused.message, advice: refused.advice } })}\n`,
    );
  return code;
}
