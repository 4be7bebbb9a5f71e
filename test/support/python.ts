/** The Python environment of the training programs, by the digest of its lock. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const lock = join(import.meta.dirname, "../../trainer/requirements.lock");

export function python(): string {
  const digest = createHash("sha256").update(readFileSync(lock)).digest("hex").slice(0, 16);
  const home = process.env["CDR_HOME"] ?? join(homedir(), ".cache", "cdr");
  return join(home, "python", digest, "bin", "python");
}

export const hasPython = existsSync(python());
