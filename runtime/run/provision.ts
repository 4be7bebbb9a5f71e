/** The Python environment of a bundle: made once, in front of the user, before anything is started. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { refusal, type Refusal } from "./refusal.ts";

/** The interpreter's path. `trainer`: the folder of `provision.sh`; its words go to `say` as they come. */
export async function provision(trainer: string, say: (line: string) => void): Promise<string | Refusal> {
  const child = spawn("sh", [join(trainer, "provision.sh")], { stdio: ["ignore", "pipe", "pipe"] });
  const words: string[] = [];
  // The newest line is held back: if it is the last of a failure, it belongs to the refusal.
  createInterface({ input: child.stderr }).on("line", (line) => {
    const before = words.at(-1);
    if (before !== undefined) say(before);
    words.push(line);
  });
  let path = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    path += text;
  });
  const failed = await new Promise<Error | null>((resolve) => {
    child.on("error", resolve);
    child.on("close", () => resolve(null));
  });
  if (failed !== null) {
    return refusal(`no shell can be started: ${failed.message}`, "put the folder of `sh`, which is /bin, on PATH");
  }
  const last = words.at(-1) ?? "";
  if (child.exitCode === 0 && path.trim() !== "") {
    if (last !== "") say(last);
    return path.trim();
  }
  const message = last.replace(/^python: /, "") || `provision.sh ended with ${child.exitCode ?? child.signalCode}`;
  return refusal(`there is no Python environment to run in\n${message}`);
}

/** The interpreter of an environment that is there already; `null` where one would have to be made first. */
export function readyPython(trainer: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const given = env["CDR_PYTHON"] ?? "";
  if (given !== "") return given;
  const digest = createHash("sha256")
    .update(readFileSync(join(trainer, "requirements.lock")))
    .digest("hex");
  const environment = join(env["CDR_HOME"] ?? join(homedir(), ".cache", "cdr"), "python", digest.slice(0, 16));
  return existsSync(join(environment, "ready")) ? join(environment, "bin", "python") : null;
}

export function versionOf(python: string): string | Refusal {
  try {
    const words = ["-c", "import platform; print(platform.python_version())"];
    return execFileSync(python, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return refusal(`${python} does not start`, "set CDR_PYTHON to a Python interpreter that has the packages");
  }
}
