/** A machine without a GPU that is too small is told the least that holds the model. */
import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const told = (processes: number, ram: number): string =>
  compileText(`import "std/gpus" { cpu }
data web { from = "x.jsonl", tokenizer = bytes, tokens = 1B tokens }
model m { family = llama, layers = 12, d_model = 1024, heads = 16, context = 512 tokens }
cluster pod { gpu = cpu, node { gpus = ${processes}, cpu = 8 cores, ram = ${ram} GB } }
stage s { model = m, data = web, batch = 64 samples, length = 1M tokens, optimizer = adamw(lr = 3e-4) }
launch hpc on pod { target = slurm() }
`)
    .diagnostics.filter(({ code }) => code.startsWith("cdr/memory"))
    .map(({ message }) => message)
    .join();

it("names memory that holds it, where a fifth less does not, and the processes that fit", () => {
  const [, ram = "", processes = ""] =
    /`node \{ ram = ([\d.]+) GB \}` would be enough, or (\d) processes on this machine/.exec(told(8, 10)) ?? [];
  expect(Number(ram)).toBeGreaterThan(10);
  expect(told(8, Number(ram))).toBe("");
  expect(told(8, 0.8 * Number(ram))).not.toBe("");
  expect(Number(processes)).toBeLessThan(8);
  expect(told(Number(processes), 10)).toBe("");
});
