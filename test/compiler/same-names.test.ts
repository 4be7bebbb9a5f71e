/** Two files may use one name: each value, block and step is the one that is meant, not another of that name. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { explain } from "../../compiler/explain/explain.ts";

const library = `let x = 3
data web { from = "theirs.txt", tokenizer = bytes }
model small { family = llama, layers = x, d_model = 128, heads = 4, context = 128 tokens }
stage base { model = small, data = web, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
stage pretrain extends base { length = 100 steps }
`;
const own = `let x = lib.x
data web { from = "ours.txt", tokenizer = bytes }
model small { family = llama, layers = x, d_model = 64, heads = 4, context = 64 tokens }
stage pretrain { model = small, data = web, length = 3000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;
const compiled = (text: string, files: Readonly<Record<string, string>> = {}) =>
  compile(
    { path: "main.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      ...{ read: (path: string) => ({ "lib.cdr": library, ...files })[path] },
      ...{ environment: () => undefined, host: () => undefined },
    },
  );
const both = `import "lib.cdr" as lib\n${own}`;
const stepsOf = ({ plan }: ReturnType<typeof compiled>) =>
  Object.fromEntries(plan.stages.map(({ name, total, model }) => [name, [total.steps, model.d_model]]));

describe("one name in two files", () => {
  it("is no circle", () => {
    const { diagnostics } = compiled(both);
    expect(diagnostics).toEqual([]);
  });
  it("is two steps, each with its own data, model and plan", () => {
    const made =
      compiled(`${both}stage tune extends pretrain { from = lib.pretrain.last, model = lib.small, data = lib.web }
eval e { model = lib.pretrain.last, data = lib.web.val }
assert pretrain.tokens == 8 * 64 tokens * 3000
assert lib.pretrain.tokens == 4 * 128 tokens * 100
assert lib.pretrain.plan.memory.checkpoint > pretrain.plan.memory.checkpoint
`);
    expect(made.diagnostics).toEqual([]);
    expect(stepsOf(made)).toMatchObject({ pretrain: [3000, 64], "lib.pretrain": [100, 128], tune: [3000, 128] });
    const needs = Object.fromEntries(made.pipeline.steps.map((step) => [step.name, step.needs]));
    expect(needs).toMatchObject({
      pretrain: ["web"],
      "lib.pretrain": ["lib.web"],
      tune: ["lib.web", "lib.pretrain"],
      e: ["lib.pretrain", "lib.web"],
    });
  });
  it("is explained by the name that the file has for each", () => {
    const made = compiled(both);
    const value = (path: string) => explain(made, path).map((row) => row.value);
    expect(value("pretrain.tokens")).toEqual(["1_536_000 tokens"]);
    expect(value("lib.pretrain.tokens")).toEqual(["51_200 tokens"]);
    expect(value("lib.small.d_model")).toEqual(["128"]);
  });
  it("is as its file is called where the entry file has no name for it", () => {
    const files = { "deep/lib.cdr": `import "../lib.cdr" { x }\nlet y = x\n` };
    const made = compiled(`import "deep/lib.cdr" as lib\n${own.replace("lib.x", "lib.y")}`, files);
    expect(made.diagnostics).toEqual([]);
    expect(Object.keys(stepsOf(made))).toEqual(["pretrain", "base", "lib.pretrain"]);
    expect(explain(made, "lib.pretrain.tokens").map((row) => row.value)).toEqual(["51_200 tokens"]);
  });
  it("stays as it is where no other block has it", () => {
    expect(Object.keys(stepsOf(compiled(`import "lib.cdr" { pretrain as p }\n`)))).toEqual(["base", "pretrain"]);
  });
  it("breaks the plan of the one that is wrong alone", () => {
    const files = { "lib.cdr": library.replace("lr = 1e-3", "lr = wrong") };
    expect(Object.keys(stepsOf(compiled(both, files)))).toEqual(["pretrain"]);
  });
});

describe("two copies of one block", () => {
  it("are two steps", () => {
    const copies = `let a = web with { seed = 1 }\nlet b = web with { seed = 2 }
stage first { model = small, data = a, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
stage second extends first { data = b }
`;
    const made = compiled(`${both}${copies}`);
    expect(made.diagnostics).toEqual([]);
    const { steps } = made.pipeline;
    const seedOf = (stage: string) => {
      const read = steps.flatMap((step) => (step.kind === "stage" && step.name === stage ? [step.data] : []));
      return steps.flatMap((step) => (step.kind === "data" && step.name === read[0] ? [step.config.seed] : []));
    };
    expect([seedOf("first"), seedOf("second")]).toEqual([[1], [2]]);
  });
});
