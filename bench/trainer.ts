/** The trainer's tokens per second beside a bare Hugging Face `Trainer`, in alternation. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export async function run(words: readonly string[]): Promise<unknown> {
  const python = process.env["CDR_TEST_PYTHON"] ?? "python3";
  const { status, stdout } = spawnSync(python, [join(import.meta.dirname, "trainer_peer.py"), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`trainer_peer.py exited with ${status}`);
  return JSON.parse(stdout);
}
