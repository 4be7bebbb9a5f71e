/** A stage of an engine that `cdrc run` does not start is refused by name, with what starts it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "cdr-own-program-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("is told by cdr/run-own-program", () => {
  const text = `import "std/clusters" { dgx_h100 }
model m { family = llama, layers = 4, d_model = 128, heads = 4, vocab = 512, context = 256 tokens }
data corpus { from = "text/*.md" }
stage s {
  model = m, data = corpus, length = 9 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3)
  engine = megatron
}
launch here on dgx_h100 { target = slurm(partition = "gpu") }
`;
  writeFileSync(join(folder, "main.cdr"), text);
  const words = [join(import.meta.dirname, "../../cli/cdrc.ts"), "run", "main.cdr", "--dry-run"];
  const run = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  expect(run.status, run.stderr).toBe(1);
  expect(run.stderr).toContain("cdr/run-own-program");
  expect(run.stderr).toContain("launch.sh");
});
