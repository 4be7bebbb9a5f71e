/** What cannot be read is named with its reason in words, whichever command reads it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const cdrc = join(import.meta.dirname, "../../cli/cdrc.ts");
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-unreadable-"));
  symlinkSync("loop.cdr", join(folder, "loop.cdr"));
  symlinkSync("gone.cdr", join(folder, "dangling.cdr"));
  writeFileSync(join(folder, "well.cdr"), "let a = 1\n");
  writeFileSync(
    join(folder, "train.sh"),
    "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 2\n",
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [cdrc, ...args], { cwd: folder, encoding: "utf8" });
  return { status, stderr };
};

it.each([
  [["check", "loop.cdr"], "cannot read loop.cdr: its links form a loop"],
  [["fmt", "loop.cdr"], "cannot read loop.cdr: its links form a loop"],
  [["fmt", "dangling.cdr"], "cannot read dangling.cdr: there is no such file"],
  [["fmt", "."], "cannot read dangling.cdr: there is no such file"],
  [["plan", "well.cdr", "--html", "gone/plan.html"], "cannot write gone/plan.html: there is no such folder"],
  [["import", "train.sh", "-o", "gone/run.cdr"], "cannot write gone/run.cdr: there is no such folder"],
])("%j", (args, message) => {
  expect(run(...args)).toEqual({ status: 2, stderr: `cdrc: ${message}\n` });
});

it("one shell's completion is printed at a time", () => {
  const { status, stderr } = run("completion", "bash", "zsh");
  expect(status).toBe(2);
  expect(stderr).toContain("`cdrc completion bash`, and again for zsh");
});
