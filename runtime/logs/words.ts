/** The last things an attempt said, where its agent left no account of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Of what started the agent: the making of an environment, an agent that refused. */
export function launchWords(directory: string, attempt: number): string[] {
  return lastLines(join(directory, "logs", `a${attempt}`, "launch.log"));
}

/** Of the first of these that said anything: the launch, the agent, rank 0. */
export function lastWords(directory: string, attempt: number): string[] {
  const files = ["launch.log", "node-0.log", "0-0.err", "0-0.out"];
  return (
    files.map((name) => lastLines(join(directory, "logs", `a${attempt}`, name))).find((lines) => lines.length > 0) ??
    []
  );
}

function lastLines(path: string): string[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").slice(-12);
  } catch {
    return [];
  }
}
