/** What the commands on runs share: a name becomes a run, or words why not. */
import { Option } from "commander";
import { readRecord, type RunRecord } from "../../runtime/state/record.ts";
import { findRun } from "../../runtime/state/find.ts";
import { renderRefusal } from "../../runtime/run/refusal-block.ts";
import { refusal, type Refusal } from "../../runtime/run/refusal.ts";
import { shown } from "../../runtime/run/document.ts";
import { typed } from "../../runtime/run/typed.ts";
import type { Pointer } from "../../runtime/state/registry.ts";
import { paintFor, screenOf, type Colour, type Screen } from "../../runtime/run/screen.ts";

export interface LifeFlags {
  readonly json?: true;
  readonly color: Colour;
}

export interface NamedRun {
  readonly directory: string;
  readonly record: RunRecord;
  /** The directory that this one is a copy of. */
  readonly copyOf: string | null;
}

export const nameHelp = "run id or a prefix of it, step name (its newest run in this project), or run directory";

export function colourOption(): Option {
  return new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto");
}

export function talk(flags: LifeFlags): Screen {
  return screenOf(process.stderr, flags.color);
}

/** The run that a name means; otherwise says why it means none, sets the exit code and returns `null`. */
export function runNamed(name: string, flags: LifeFlags): NamedRun | null {
  const found = findRun(name);
  if (found.kind !== "found") return fail(why(found), 2, flags);
  const read = readRecord(found.run.directory);
  if (!read.ok) return fail(refusal("the record of this run cannot be read", read.why), 3, flags);
  return { directory: found.run.directory, record: read.record, copyOf: read.copyOf };
}

/** Which run a name was taken for: said before anything is done to it. */
export function sayWhich({ directory, record }: NamedRun, flags: LifeFlags): void {
  process.stderr.write(
    `${paintFor(process.stderr, flags.color).dim(`${record.step.name} (${record.id}) in ${shown(directory)}`)}\n`,
  );
}

function lineOf({ step, id, directory }: Pointer): string {
  return `${step}/${id}  ${shown(directory)}`;
}

export function fail(refused: Refusal, code: number, flags: LifeFlags): null {
  const screen = talk(flags);
  screen.close(null);
  screen.say(renderRefusal(refused, screen.paint));
  const { message, advice } = refused;
  if (flags.json === true) printJson({ error: { message, advice } });
  process.exitCode = code;
  return null;
}

export function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

function why(found: Exclude<ReturnType<typeof findRun>, { kind: "found" }>): Refusal {
  if (found.kind === "ambiguous") {
    return refusal(
      [`"${found.name}" matches several runs`, ...found.runs.map(lineOf)].join("\n"),
      "write more of the id, or the run's directory",
    );
  }
  const { name, nearest, elsewhere } = found;
  if (elsewhere.length > 0) {
    return refusal(
      [`no run of this folder's project is named "${name}"; other projects have`, ...elsewhere.map(lineOf)].join(
        "\n",
      ),
      "write the run's directory, or go there",
    );
  }
  const advice = nearest.length > 0 ? `did you mean ${nearest.join(", ")}?` : `${typed("ps")} lists the runs`;
  return refusal(`no run is named "${name}"`, advice);
}
