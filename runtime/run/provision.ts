/** The Python environment of a bundle: made once, in front of the user, before anything is started. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { refusal, type Refusal } from "./refusal.ts";

/** The interpreter's path. `trainer`: the folder of `provision.sh`; its words go to `say` as they come. */
export async function provision(trainer: string, say: (line: string) => void): Promise<string | Refusal> {
  const child = spawn("sh", [join(trainer, "provision.sh")], { stdio: ["ignore", "pipe", "pipe"] });
  const words: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    words.push(line);
    say(line);
  });
  let path = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    path += text;
  });
  await once(child, "close");
  if (child.exitCode === 0 && path.trim() !== "") return path.trim();
  const last = words.filter((line) => line.trim() !== "").slice(-5);
  const message = last.join("\n").replaceAll(/^python: /gm, "") || `provision.sh ended with ${child.exitCode}`;
  return refusal(`there is no Python environment to run in\n${message}`);
}

export function versionOf(python: string): string | Refusal {
  try {
    const words = ["-c", "import platform; print(platform.python_version())"];
    return execFileSync(python, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return refusal(`${python} does not start`, "set CDR_PYTHON to a Python interpreter that has the packages");
  }
}
