/** Reads signatures with the Python of this machine: its own parser, in a process of its own. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";
import type { ReadSignatures, Signature } from "./signature.ts";

/** Longest time that reading a few files may take, in ms. */
const patience = 5000;
const late: Signature = { status: "unread", why: `Python did not answer within ${patience / 1000} s` };

export const readSignatures: ReadSignatures = (requests) => {
  const program = readFileSync(join(packageRoot(), "compiler/plugins/signature.py"), "utf8");
  for (const python of ["python3", "python"]) {
    // Isolated: neither the working directory nor the environment decides what is imported.
    const run = spawnSync(python, ["-I", "-c", program], {
      input: JSON.stringify(requests),
      encoding: "utf8",
      timeout: patience,
    });
    if (run.status === 0) return JSON.parse(run.stdout) as Signature[];
    if (run.error !== undefined && "code" in run.error && run.error.code === "ETIMEDOUT")
      return requests.map(() => late);
  }
  return null;
};
