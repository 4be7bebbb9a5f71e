/** The last things an attempt said, where its agent left no account of it. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Of what started the agent: the making of an environment, an agent that refused. */
export function launchWords(directory: string, attempt: number): string[] {
  return lastLines(join(directory, "logs", `a${attempt}`, "launch.log"));
}

/** Of the first of these that said anything: the launch, the agent, rank 0, the job script. */
export function lastWords(directory: string, attempt: number): string[] {
  const names = ["launch.log", "node-0.log", "0-0.err", "0-0.out"];
  const files = [
    ...names.map((name) => join(directory, "logs", `a${attempt}`, name)),
    newestIn(join(directory, "slurm")),
  ];
  return files.map(lastLines).find((lines) => lines.length > 0) ?? [];
}

/** The output of a job script, where a scheduler keeps it. */
function newestIn(folder: string): string {
  if (!existsSync(folder)) return folder;
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(folder, entry.name));
  return paths.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] ?? folder;
}

function lastLines(path: string): string[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").slice(-12);
  } catch {
    return [];
  }
}
