/** `cdrc explain PATH FILE`: where a value came from, of a plan or of any block. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { explainCommand } from "../../../cli/commands/explain.ts";
import { compileFile } from "../../../cli/front.ts";
import { explain } from "../../../compiler/explain/explain.ts";
import { keysOf } from "../../../compiler/explain/plan-terms.ts";
import { nearestPath } from "../../../compiler/explain/nearest-path.ts";

// Diagnostics are written to the file behind the stream, which nothing in this process can read.
vi.mock("../../../cli/output.ts", () => ({
  output: (stream: "stdout" | "stderr", text: string) => process[stream].write(text),
}));

const folder = mkdtempSync(join(tmpdir(), "cdr-explain-"));

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const file = written(
  "main.cdr",
  `model m { family = llama, size = auto(total = 1M params), context = 64 tokens }
model lonely { family = llama, layers = 2, d_model = 64 }
param width: Int = 4
let doubled = width * 2
data corpus { from = "x.txt", tokenizer = bytes }
stage s { model = m, data = corpus, length = 10 steps, batch = doubled * 1 samples, optimizer = adamw(lr = 1e-3), layout { micro_batch = 8 samples } }
abstract stage other { batch = doubled * 1 samples }
`,
);

const onPod = written(
  "pod.cdr",
  `import "std/clusters" { dgx_h100 }
model m { family = llama, layers = 2, d_model = 64, context = 64 tokens }
data corpus { from = "x.txt", tokenizer = bytes }
cluster pod extends dgx_h100 { nodes = 1 }
stage s { model = m, data = corpus, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
launch there on pod { target = slurm() }
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

it("says a value of several parts in words, and takes blanks around the = of --set", async () => {
  const { stdout } = await explained("m.parameters", file, "--set", "width = 8");
  expect(stdout).toMatch(/^m\.parameters = total \d+, active \d+, embedding \d+/);
  expect((await explained("doubled", file, "--set", "width = 8")).stdout).toContain("doubled = 16");
});

it.each([
  ["s.memory.capacity", "written at std/gpus:"],
  ["s.layout.gpus_per_node", "written at std/clusters:"],
  ["s.layout.nodes", "pod.cdr:4"],
  ["s.layout.zero_stage", "layouts the simplest within 1 % of the least time and risk"],
])("tells of a cluster and its layouts, of %s, where that comes from", async (path, said) => {
  expect((await explained(path, onPod)).stdout).toContain(said);
});

it.each([
  ["s.batch.accumulation", "s.batch.accumulation = 1", "global_batch / (micro_batch * data_parallel)"],
  ["s.batch.accumulation", "batch.accumulation = 1", "    batch.micro_batch = "],
  ["m.window", "m.window = none", "default of model (length of the sliding"],
  ["m", "m.pattern = none", "m.norms = none"],
  ["s.memory.peak", "s.memory.peak = ", " GiB\n"],
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
  ["m.vocab", "m.vocab = 264", "chosen by the sizer: 257 tokens of the tokenizer, rounded up to a multiple of 8"],
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
  [["--set", "s.seed=nosuch"], "cdr/name-unknown"],
  [["--set", "s.seed=yes"], "cdr/type-mismatch"],
])("refuses what %j says wrongly, as a plan does, and makes up no value", async (flags, code) => {
  const { status, stdout, stderr } = await explained("s.seed", file, ...flags);
  expect(status).toBe(1);
  expect(stderr).toContain(code);
  expect(stdout).not.toContain("unknown");
});

/** Blocks that say little, a stage that has no plan, and what has a name and no value. */
const wide = `/// Everything that has a path.
secret key = env("KEY")
enum Size { small, large }
fn half(x: Int) = x / 2
let table = { small = { layers = 2 }, large = { layers = 4 } }
model m { family = gpt2, layers = table.small.layers, d_model = 64, heads = 2, context = 64 tokens }
data corpus { from = "x.txt" }
abstract stage base { model = m, data = corpus, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
stage s extends base { length = 10 steps, eval = none }
sweep rates { stage = s, vary { optimizer.lr in [1e-3, 1e-4] } }
preset short { s.length = 5 steps }
`;

function compiled(text: string) {
  const found = compileFile(written("wide.cdr", text), {});
  if ("misuse" in found) throw new Error(found.misuse);
  return found;
}

it("explains every path that there is, of a plan, of blocks that nobody wrote, and of what blocks name", () => {
  const compilation = compiled(wide);
  const silent: string[] = [];
  let count = 0;
  const walk = (path: string, depth: number): void => {
    for (const name of nearestPath(compilation, `${path}${"?".repeat(40)}`).valid) {
      const rows = explain(compilation, `${path}${name}`);
      count++;
      if (rows.length === 0 || rows.some(({ value }) => value === "undefined")) silent.push(`${path}${name}`);
      if (depth > 0) walk(`${path}${name}.`, depth - 1);
    }
  };
  walk("", 3);
  expect(silent).toEqual([]);
  expect(count).toBeGreaterThan(300);
});

it("has an origin for every leaf of a plan", () => {
  const compilation = compiled(wide);
  const [stage] = compilation.plan.stages;
  const leaves = (value: unknown, path: string): string[] =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`))
      : [path];
  const { name, origins, alternatives, ...planned } = stage ?? expect.fail("no stage is planned");
  const silent = leaves(planned, "").filter((path) => explain(compilation, `s.${path}`).length === 0);
  expect([name, Object.keys(origins).length > 50, alternatives.length > 0, silent]).toEqual(["s", true, true, []]);
});

it("leads on to all that the origins of a plan cite", () => {
  const found = compileFile(onPod, {});
  const compilation = "misuse" in found ? expect.fail(found.misuse) : found;
  const stage = compilation.plan.stages[0] ?? expect.fail("no stage is planned");
  const origins = keysOf(stage).flatMap((key) => stage.origins[key] ?? []);
  const cited = origins.flatMap((origin) => (origin.kind === "derived" ? origin.inputs : []));
  const silent = [...new Set(cited)].filter((input) => explain(compilation, `s.${input}`).length === 0);
  expect([cited.length > 50, silent]).toEqual([true, []]);
});

it.each(["memory.parts", "time.parts", "total.parts"])("lists the terms of a sum, %s, with their units", (sum) => {
  const found = compileFile(onPod, {});
  const compilation = "misuse" in found ? expect.fail(found.misuse) : found;
  const [group = "", parts = ""] = sum.split(".");
  const stage = compilation.plan.stages[0] as unknown as Record<string, Record<string, Record<string, number>>>;
  const terms = Object.keys(stage[group]?.[parts] ?? {}).map((term) => `s.${sum}.${term}`);
  const rows = explain(compilation, `s.plan.${sum}`);
  expect(rows.map(({ path }) => path).toSorted()).toEqual(terms.toSorted());
  expect(rows.filter(({ value }) => !/ ([KMG]iB|s|ms|us|min|h)$/.test(value))).toEqual([]);
});

it("tells nothing twice, and names the term that is meant", async () => {
  const { stdout } = await explained("s.plan.memory.parts", onPod);
  expect(stdout.match(/layouts the simplest/g)?.length).toBeLessThan(10);
  expect(stdout).toMatch(/layout\.zero_stage = \d, as above/);
  for (const path of ["s.plan.memory.activations", "memory.parts.activations"])
    expect((await explained(path, onPod)).stderr).toContain("did you mean `s.memory.parts.activations`?");
});

it.each([
  ["corpus.split.val", "corpus.split.val = 1%", "default of split (no `split` is written)"],
  ["s.checkpoint.keep", "s.checkpoint.keep = [last(count = 3)]", "no `checkpoint` is written"],
  ["s.log.every", "s.log.every = 1 step", "no `log` is written"],
  ["s.ema.decay", "s.ema.decay = none", "default of stage (no `ema` is written)"],
  ["s.eval.every", "s.eval.every = none", "wide.cdr:9"],
  ["s.precision", "s.precision = fp32", "default of a CPU"],
  ["s.context", "s.context = 64 tokens", "wide.cdr:6"],
  ["s.clip", "s.clip = 1", "default of stage"],
  ["s.scaler", "s.scaler = none", "dynamic by default"],
  ["s.data.split.seed", "corpus.split.seed = 42", "no `split` is written"],
  ["corpus.sequence", "corpus.sequence = 64 tokens", "stage `s`, which reads it"],
  ["s.model.parameters.total", "parameters.total = ", "sum over the tensors of the family"],
  ["s.time.tokens_per_second_per_gpu", "per_gpu = ", "tokens_per_second / world"],
  ["s.plan.memory", "s.plan.memory.host_peak = ", "what is offloaded"],
  ["s.last", "s.last = s.last", "what stage `s` makes"],
  ["base.plan.cost", "known only later", "price of the devices"],
  ["rates.vary", "rates.vary.optimizer.lr in [1e-3, 1e-4]", "wide.cdr:10"],
  ["key", 'key = secret key = env("KEY")', "wide.cdr:2"],
  ["table.small.layers", "let table.small.layers = 2", "wide.cdr:5"],
])("says what %s is where nobody wrote it there", async (path, value, origin) => {
  const { stdout } = await explained(path, written("wide.cdr", wide));
  expect(stdout).toContain(value);
  expect(stdout).toContain(origin);
});

it.each([
  ["s.checkpont.kep", "did you mean `s.checkpoint.keep`?"],
  ["s.optimizer.btas", "did you mean `s.optimizer.betas`?"],
  ["corpsu.split", "did you mean `corpus.split`?"],
  ["s.accumulation", "did you mean `s.batch.accumulation`?"],
  ["m.parameters.totl", "did you mean `m.parameters.total`?"],
  ["s.optimizer.lr.warm", "nothing follows `s.optimizer.lr`"],
  ["s.plan.memory.zzzzzz", "behind `s.plan.memory` stand `peak`, `host_peak`, `checkpoint`"],
  ["nothing_like_it", "nothing is called `nothing_like_it`"],
])("names what was meant by %s", async (path, message) => {
  const { status, stderr, stdout } = await explained(path, written("wide.cdr", wide));
  expect(stderr).toContain(message);
  expect([status, stdout]).toEqual([2, ""]);
});

it("tells a bound of a property that has no value", async () => {
  const bounded = written(
    "bounded.cdr",
    `${readFileSync(file, "utf8")}stage t extends s { time <= 3 h, cost <= 20 usd }\n`,
  );
  const [row] = explain((await compileFile(bounded, {})) as never, "t.time");
  expect(row).toMatchObject({ path: "t.time", value: "<= 3 h", origin: { kind: "written" } });
});

it("explains what an imported file declares, behind its name and by its own", async () => {
  written(
    "lib.cdr",
    `let k = 384
let sizes = { small = 1, large = 2 }
fn pad(n: Int): Int = n + 1
model inner { family = llama, layers = 2, d_model = 64 }
`,
  );
  const top = written("top.cdr", 'import "./lib.cdr" as lib\nlet z = lib.k\n');
  const first = async (path: string) => (await explained(path, top)).stdout.split("\n")[0];
  expect(await first("lib.k")).toBe("let k = 384");
  expect(await first("lib.sizes.large")).toBe("let sizes.large = 2");
  expect(await first("lib.pad")).toBe("pad = fn pad(n: Int): Int = n + 1");
  expect(await first("pad")).toBe("pad = fn pad(n: Int): Int = n + 1");
  expect(await first("k")).toBe("let k = 384");
  expect(await first("lib.inner.layers")).toBe("inner.layers = 2");
  expect((await explained("lib.kk", top)).stderr).toContain("behind `lib` stand `k`");
});

it("explains a name that several imported files declare in none of them", async () => {
  written("one.cdr", "fn both(n: Int): Int = n\nlet a = 1\n");
  written("two.cdr", "fn both(n: Int): Int = n\nlet b = 1\n");
  const top = written("several.cdr", 'import "./one.cdr" { a }\nimport "./two.cdr" { b }\nlet c = a + b\n');
  expect((await explained("both", top)).stderr).toContain("nothing is called `both`");
});
