/** Commands on a run that exists: watch it, or start its next attempt from the copy of the bundle inside it. */
import { join } from "node:path";
import { writeReport } from "../report/write.ts";
import { specOf, type RunRecord } from "../state/record.ts";
import { printOutcome, supervise, type Supervised } from "./pipeline.ts";
import { provision } from "./provision.ts";
import { renderRefusal } from "./refusal-block.ts";
import { isRefusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import type { Screen } from "./screen.ts";
import { resumeRun } from "./start.ts";

export interface Known {
  readonly directory: string;
  readonly record: RunRecord;
  readonly screen: Screen;
  readonly json: boolean;
}

export async function attachTo(known: Known): Promise<number> {
  return watchKnown(known, { start: null, interrupt: "leave" });
}

export async function resume(known: Known): Promise<number> {
  const { directory, record, screen, json } = known;
  const python = await provision(join(directory, "bundle", "trainer"), (line) => screen.say([line]));
  if (isRefusal(python)) {
    screen.close(null);
    screen.say(renderRefusal(python, screen.paint));
    if (json) printOutcome({ exitCode: 3, runs: [], refusal: python });
    return 3;
  }
  return watchKnown(known, { start: (_, order) => resumeRun(directory, record, order.next), interrupt: "save" });
}

async function watchKnown(
  { directory, record, screen, json }: Known,
  how: Pick<Supervised, "start" | "interrupt">,
): Promise<number> {
  const run: ResolvedRun = { spec: specOf(directory, record), hashes: record.hashes, sources: record.sources };
  const title = `${record.step.name} of ${record.file}`;
  const outcome = await supervise({ runs: [run], queueing: false, title, screen, report: writeReport, ...how });
  if (json) printOutcome(outcome);
  return outcome.exitCode;
}
