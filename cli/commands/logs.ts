/** `cdrc logs NAME`: the words of all ranks as one stream. */
import { Command, InvalidArgumentError, Option } from "commander";
import { attemptsOf, logFiles } from "../../runtime/logs/files.ts";
import { followLogs, prefixOf, readLogs, type LogFilter, type LogLine } from "../../runtime/logs/merge.ts";
import { refusal } from "../../runtime/run/refusal.ts";
import { paintFor } from "../../runtime/run/screen.ts";
import { readRecord } from "../../runtime/state/record.ts";
import { printable } from "../../runtime/view/printable.ts";
import { ended } from "../../runtime/watch/progress.ts";
import { snapshotOf } from "../../runtime/watch/snapshot.ts";
import { colourOption, fail, nameHelp, printJson, runNamed, sayWhich, type LifeFlags } from "./life.ts";

interface Flags extends LifeFlags {
  readonly rank?: number;
  readonly attempt?: number;
  readonly tail?: number;
  readonly grep?: RegExp;
  readonly follow?: true;
}

export function logsCommand(): Command {
  return new Command("logs")
    .summary("show the output of a run's processes")
    .argument("<name>", nameHelp)
    .option("--rank <n>", "show only this rank", number)
    .option("--attempt <n>", "attempt, counted from 0 (default: the newest)", number)
    .option("--tail <n>", "show only the last n lines of each process", number)
    .option("--grep <pattern>", "show only lines that match a regular expression", pattern)
    .addOption(new Option("-f, --follow", "follow the output until the run ends").conflicts("json"))
    .option("--json", "print one JSON document to stdout")
    .addOption(colourOption())
    .action(async (name: string, flags: Flags) => {
      const run = runNamed(name, flags);
      if (run === null) return;
      sayWhich(run, flags);
      const { directory } = run;
      const filter: LogFilter = { rank: flags.rank ?? null, pattern: flags.grep ?? null, last: flags.tail ?? null };
      const attempts = attemptsOf(directory);
      const attempt = flags.attempt ?? attempts.at(-1) ?? 0;
      if (flags.attempt !== undefined && !attempts.includes(attempt)) {
        return void fail(
          refusal(`there is no attempt ${attempt}; attempts: ${attempts.join(", ") || "none"}`),
          2,
          flags,
        );
      }
      const files = logFiles(directory, attempt, null);
      const ranks = [...new Set(files.flatMap((file) => file.rank ?? []))];
      if (filter.rank !== null && flags.follow !== true && !ranks.includes(filter.rank)) {
        return void fail(
          refusal(`rank ${filter.rank} has no output; ranks: ${ranks.join(", ") || "none"}`),
          2,
          flags,
        );
      }
      if (flags.json === true) return printJson(documentOf(attempt, readLogs(directory, attempt, filter)));
      const paint = paintFor(process.stdout, flags.color);
      const print = (lines: readonly LogLine[]): void => {
        for (const { file, text } of lines) {
          const colour = file.stream === "err" ? paint.yellow : paint.cyan;
          process.stdout.write(`${colour(prefixOf(file))} ${printable(text)}\n`);
        }
      };
      if (flags.follow !== true) return print(readLogs(directory, attempt, filter));
      const newest = (): number => flags.attempt ?? recordedAttempt(directory);
      for await (const lines of followLogs(directory, newest, filter, () => hasEnded(directory))) print(lines);
    });
}

function documentOf(attempt: number, lines: readonly LogLine[]): object {
  return {
    attempt,
    lines: lines.map(({ file: { node, rank, stream }, text }) => ({ node, rank, stream, text })),
  };
}

function recordedAttempt(directory: string): number {
  const read = readRecord(directory);
  return read.ok ? read.record.attempt : 0;
}

async function hasEnded(directory: string): Promise<boolean> {
  const snapshot = await snapshotOf(directory);
  return snapshot === null || ended.has(snapshot.verdict.state);
}

function number(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("it must be a whole number");
  return Number(text);
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : "not a regular expression");
  }
}
