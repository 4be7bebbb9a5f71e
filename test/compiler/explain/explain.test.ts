/** `cdrc explain PATH FILE`: where a value came from, of a plan or of any block. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const file = join(mkdtempSync(join(tmpdir(), "cdr-explain-")), "main.cdr");
writeFileSync(
  file,
  `model m { family = llama, size = auto(total = 1M params), context = 64 tokens }
model lonely { family = llama, layers = 2, d_model = 64 }
param width: Int = 4
let doubled = width * 2
data corpus { from = "x.txt" }
stage s { model = m, data = corpus, length = 10 steps, batch = doubled * 1 samples, optimizer = adamw(lr = 1e-3), layout { micro_batch = 8 samples } }
abstract stage other { batch = doubled * 1 samples }
`,
);

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
])("explains %s", (path, value, origin) => {
  const text = execFileSync("node", [join(root, "cli/cdrc.ts"), "explain", path, file], { encoding: "utf8" });
  expect(text).toContain(value);
  expect(text).toContain(origin);
});

it("says that nobody wrote the machine where a launch names no cluster", () => {
  const launched = (target: string, path: string) => {
    const place = file.replace("main.cdr", "launched.cdr");
    writeFileSync(
      place,
      `model m { family = llama, size = auto(total = 1M params), context = 64 tokens }
data corpus { from = "x.txt" }
stage s { model = m, data = corpus, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
launch here { target = ${target} }
`,
    );
    return execFileSync(process.execPath, [join(root, "cli/cdrc.ts"), "explain", path, place], {
      encoding: "utf8",
    });
  };
  expect(launched("local", "s.layout.gpus_per_node")).not.toContain("launched.cdr:4");
  expect(launched("local(processes = 2)", "s.layout.gpus_per_node")).toContain("launched.cdr:4");
  expect(launched("local(processes = 2)", "s.layout.nodes")).not.toContain("launched.cdr:4");
});
