/** The logs of one attempt: which file holds whose words. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface LogFile {
  readonly path: string;
  readonly node: number;
  /** `null`: the node agent, or what started it. */
  readonly rank: number | null;
  readonly stream: "out" | "err" | "node" | "launch";
}

/** In the order of reading: what started it, the agents, then the ranks. */
export function logFiles(directory: string, attempt: number, rank: number | null): LogFile[] {
  const folder = join(directory, "logs", `a${attempt}`);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const file = logFile(folder, name);
      return file === null || (rank !== null && file.rank !== rank) ? [] : [file];
    })
    .sort((a, b) => order(a) - order(b) || a.path.localeCompare(b.path));
}

export function attemptsOf(directory: string): number[] {
  const folder = join(directory, "logs");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => (/^a\d+$/.test(name) ? [Number(name.slice(1))] : []))
    .sort((a, b) => a - b);
}

function logFile(folder: string, name: string): LogFile | null {
  const path = join(folder, name);
  if (name === "launch.log") return { path, node: 0, rank: null, stream: "launch" };
  const agent = /^node-(\d+)\.log$/.exec(name);
  if (agent !== null) return { path, node: Number(agent[1]), rank: null, stream: "node" };
  const rank = /^(\d+)-(\d+)\.(out|err)$/.exec(name);
  if (rank === null) return null;
  return { path, node: Number(rank[1]), rank: Number(rank[2]), stream: rank[3] === "out" ? "out" : "err" };
}

function order({ rank, stream }: LogFile): number {
  if (rank === null) return stream === "launch" ? -2 : -1;
  return rank * 2 + (stream === "err" ? 1 : 0);
}
