/** `cdrc explain PATH FILE`: where a value came from, of a plan or of any block. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { explainCommand } from "../../../cli/commands/explain.ts";

const file = join(mkdtempSync(join(tmpdir(), "cdr-explain-")), "main.cdr");
writeFileSync(
  file,
  `model m { family = llama, size = auto(total = 1M params), context = 64 tokens }
model lonely { family = llama, layers = 2, d_model = 64 }
param width: Int = 4
let doubled = width * 2
data corpus { from = "x.txt", tokenizer = bytes }
stage s { model = m, data = corpus, length = 10 steps, batch = doubled * 1 samples, optimizer = adamw(lr = 1e-3), layout { micro_batch = 8 samples } }
abstract stage other { batch = doubled * 1 samples }
`,
);

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** What the command writes, and how it ends; in this process, since starting one takes seconds on a busy machine. */
async function explained(...words: readonly string[]) {
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      said[stream] += String(text);
      return true;
    });
  }
  await explainCommand().parseAsync(words, { from: "user" });
  return { ...said, status: process.exitCode ?? 0 };
}

it.each([
  ["s.batch.accumulation", "batch.accumulation = 1", "global_batch / (micro_batch * data_parallel)"],
  ["s.batch.accumulation", "batch.accumulation = 1", "    batch.micro_batch = "],
  ["s.batch.global_batch", "batch.global_batch = 8", "main.cdr:6"],
  ["corpus.from", "corpus.from", "main.cdr:5"],
  ["other.batch", "other.batch = 8 samples", "    let doubled = 8"],
  ["other.batch", "main.cdr:7: doubled * 1 samples", "        param width = 4"],
  ["width", "param width = 4", "its default"],
  ["s.optimizer.lr", "optimizer.lr = 0.001", "main.cdr:6"],
  ["s.optimizer.eps", "optimizer.eps = 1e-8", "default of adamw"],
  ["s.data.seed", "seed = 42", "default of data"],
  ["m.context", "context = 64 tokens", "main.cdr:1"],
  ["m.d_ff", "d_ff = ", "chosen by the sizer"],
  ["lonely.heads", "heads = ", "from model.d_model"],
  ["corpus.format", "corpus.format = auto", "default of data"],
  ["s.steps", "s.steps = 10 steps", "main.cdr:6"],
  ["s.tokens", "s.tokens = ", "steps * tokens_per_step from total.steps, batch.tokens_per_step"],
  ["s.plan.steps_per_second", "steps/s", "1 / step from time.step"],
  ["s.plan.cost", "s.plan.cost", "gpu_hours * price of the cluster"],
  ["m.vocab", "m.vocab = 257", "ids of the tokenizer from data.tokenizer\n    corpus.tokenizer = bytes"],
])("explains %s", async (path, value, origin) => {
  const { stdout } = await explained(path, file);
  expect(stdout).toContain(value);
  expect(stdout).toContain(origin);
});

it("says that nobody wrote the machine where a launch names no cluster", async () => {
  const launched = async (target: string, path: string) => {
    const place = file.replace("main.cdr", "launched.cdr");
    writeFileSync(
      place,
      `model m { family = llama, size = auto(total = 1M params), context = 64 tokens }
data corpus { from = "x.txt" }
stage s { model = m, data = corpus, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
launch here { target = ${target} }
`,
    );
    return (await explained(path, place)).stdout;
  };
  expect(await launched("local", "s.layout.gpus_per_node")).not.toContain("launched.cdr:4");
  expect(await launched("local(processes = 2)", "s.layout.gpus_per_node")).toContain("launched.cdr:4");
  expect(await launched("local(processes = 2)", "s.layout.nodes")).not.toContain("launched.cdr:4");
});

it.each([
  [["--preset", "nosuch"], "cdr/variant-unknown"],
  [["--with", "nosuch"], "cdr/variant-unknown"],
  [["--set", "s.sed=3"], "cdr/property-unknown"],
  [["--set", "s.seed=yes"], "cdr/name-unknown"],
])("refuses what %j says wrongly, as a plan does, and makes up no value", async (flags, code) => {
  const { status, stdout, stderr } = await explained("s.seed", file, ...flags);
  expect(status).toBe(1);
  expect(stderr).toContain(code);
  expect(stdout).not.toContain("unknown");
});
