/** Words of many processes as one stream of lines, each with who said it. Ranks write no times: order is by arrival. */
import { setTimeout as sleep } from "node:timers/promises";
import { tailOf, type Tail } from "../watch/tail.ts";
import { logFiles, type LogFile } from "./files.ts";

export interface LogLine {
  readonly file: LogFile;
  readonly text: string;
}

export interface LogFilter {
  readonly rank: number | null;
  readonly pattern: RegExp | null;
  /** Only so many of the last lines of each file; `null` is all. */
  readonly last: number | null;
}

export function readLogs(directory: string, attempt: number, filter: LogFilter): LogLine[] {
  return logFiles(directory, attempt, filter.rank).flatMap((file) => {
    const tail = tailOf(file.path);
    const lines = [...tail.read(), ...(tail.rest() === "" ? [] : [tail.rest()])];
    const wanted = lines.filter((text) => filter.pattern?.test(text) ?? true);
    return (filter.last === null ? wanted : wanted.slice(-filter.last)).map((text) => ({ file, text }));
  });
}

/** New lines as they come, from files that appear later as well, until `isOver`; the last lines are not lost. */
export async function* followLogs(
  directory: string,
  attempt: () => number,
  filter: LogFilter,
  isOver: () => Promise<boolean>,
): AsyncGenerator<readonly LogLine[]> {
  const tails = new Map<string, Tail>();
  let isFirst = true;
  for (;;) {
    const over = await isOver();
    const lines = logFiles(directory, attempt(), filter.rank).flatMap((file) => {
      const tail = tails.get(file.path) ?? tailOf(file.path);
      tails.set(file.path, tail);
      const fresh = tail.read().filter((text) => filter.pattern?.test(text) ?? true);
      const wanted = isFirst && filter.last !== null ? fresh.slice(-filter.last) : fresh;
      return wanted.map((text) => ({ file, text }));
    });
    isFirst = false;
    if (lines.length > 0) yield lines;
    if (over) return;
    await sleep(250);
  }
}

/** `[0-3]` for a rank, `[node 0]` for its agent. */
export function prefixOf({ node, rank, stream }: LogFile): string {
  if (rank !== null) return `[${node}-${rank}]`;
  return stream === "launch" ? "[launch]" : `[node ${node}]`;
}
