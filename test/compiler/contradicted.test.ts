/** What a file says in two places that exclude each other, or asks of something that is not there. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { objectives } from "../../compiler/kinds/stage/objectives.ts";
import type { Type } from "../../dsl/kind.ts";

const head = `data d { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
abstract stage c { model = m, data = d, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
secret k = env("KEY")
job reads { command = "true", env { KEY = k } }
`;
/** Codes, each with the text that it stands on. */
const told = (text: string): string[] =>
  compile(
    { path: "main.cdr", text: head + text },
    {
      ...{ on: null, target: null, preset: null, overlayFiles: [], overlays: [], sets: [] },
      ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    },
  ).diagnostics.map(({ code, span }) => `${code} ${span.source.text.slice(span.start, span.end)}`);

describe("`keep` of data", () => {
  it.each([
    ["length in 50..10 chars", "length in 50..10 chars"],
    ["language(en) >= 2", "language(en) >= 2"],
    ["toxicity > 1", "toxicity > 1"],
    ["quality >= 0.5, quality < 0.5", "quality < 0.5"],
    ["length >= 50 chars and length <= 10 chars", "length >= 50 chars and length <= 10 chars"],
    ["length >= 50 chars, length <= 10 chars", "length <= 10 chars"],
    ["length in 50..90 tokens, length < 10 tokens", "length < 10 tokens"],
    ["length in 5..5 chars, length >= 5 chars", null],
    ["quality >= 0.5, quality <= 0.5", null],
    ["language(en) >= 65%, language(de) < 10%", null],
    ["length >= 50 chars, length <= 10 tokens", null],
    ["quality >= 0.5 or quality < 0.2", null],
    ["quality > 1 or language(en) >= 2", "quality > 1 or language(en) >= 2"],
    ["quality >= 0.5, quality < 0.2 or quality < 0.4", "quality < 0.2 or quality < 0.4"],
    [
      "quality >= 0.5, (quality < 0.2 or toxicity > 1) and length > 5 chars",
      "quality < 0.2 or toxicity > 1) and length > 5 chars",
    ],
    ["quality >= 0.5, quality < 0.2 or length > 5 chars", null],
  ])("leaves something: [%s]", (keep, span) => {
    expect(told(`data e extends d { keep = [${keep}] }`)).toEqual(span === null ? [] : [`cdr/data-keep ${span}`]);
  });
});

it("tells an alternative of `keep` that never holds", () => {
  expect(told("data e extends d { keep = [quality > 1 or length > 5 chars] }")).toEqual([
    "cdr/data-keep-idle quality > 1 or length > 5 chars",
  ]);
});

describe("an `expect`", () => {
  const unmeasured = "cdr/checkpoint-unmeasured";
  it.each([
    ["expect val.loss <= 2", "", [`${unmeasured} val.loss <= 2`]],
    ["expect generalization_gap <= 0.5 else warn", "", [`${unmeasured} generalization_gap <= 0.5`]],
    ["expect loss <= 2 else rollback(to = best)", "", [`${unmeasured} rollback(to = best)`]],
    ["expect loss <= 2 else rollback(to = last)", "", ["cdr/expect-rollback rollback(to = last)"]],
    ["expect loss <= 2 else rollback(to = last)", "checkpoint = none", ["cdr/expect-rollback rollback(to = last)"]],
    ["expect overflow < 5%", "", ["cdr/loss-experts overflow < 5%"]],
    ["expect loss <= 2 else rollback(to = last)", "checkpoint { every = 5 steps }", []],
    ["expect val.loss <= 2 else rollback(to = best)", "eval { every = 5 steps }, checkpoint { every = 5 steps }", []],
  ])("%s of a stage with { %s } has what it needs", (expectation, parts, found) => {
    expect(told(`stage a extends c { ${parts}\n${expectation} }`)).toEqual(found);
  });
});

describe("an eval that no stage lists", () => {
  it.each([
    ["every = 5 steps", ["cdr/eval-when 5 steps"]],
    ["expect perplexity <= 1.05 * best.perplexity", ["cdr/eval-when perplexity <= 1.05 * best.perplexity"]],
    ["expect loss <= 2 else rollback(to = last)", ["cdr/eval-when rollback(to = last)"]],
    ["expect entropy <= 3 bits", ["cdr/loss-experts entropy <= 3 bits"]],
    ["expect accuracy >= 200%", ["cdr/expect-impossible expect accuracy >= 200%"]],
    ["expect perplexity <= 20", []],
  ])("measures once: %s", (said, found) => {
    expect(told(`stage a extends c { }\neval v { model = a.last, data = d, ${said} }`)).toEqual(found);
  });
  it("is taken back to what the stage that lists it saves", () => {
    const listed = (parts: string) =>
      told(`stage a extends c { evals = v, ${parts} }
eval v { data = d, every = 5 steps, expect loss <= 2 else rollback(to = last) }`);
    expect(listed("")).toEqual(["cdr/expect-rollback rollback(to = last)"]);
    expect(listed("checkpoint { every = 5 steps }")).toEqual([]);
  });
  it("may be listed by a variant", () => {
    expect(told("stage a extends c { }\neval v { data = d, every = 5 steps }\noverlay o { a.evals = v }")).toEqual(
      [],
    );
  });
});

describe("an objective", () => {
  const dpo = "objective = dpo(beta = 0.1), loss = cross_entropy + policy";
  const grpo = (horizon: string) =>
    `objective = grpo(group = 4, reward = task, horizon = ${horizon}), loss = cross_entropy + policy`;
  const rows = 'format = preferences(prompt = "${row.q}", chosen = "${row.a}", rejected = "${row.b}")';
  it.each([
    [dpo, ["cdr/objective-data dpo(beta = 0.1)"]],
    ["loss = cross_entropy(over = answers)", ["cdr/objective-data cross_entropy(over = answers)"]],
    [`${dpo}, data = d with { ${rows} }`, []],
    [`${dpo}, data = d with { format = chat }`, ["cdr/objective-data dpo(beta = 0.1)"]],
    [grpo("64 tokens"), ["cdr/objective-horizon 64 tokens"]],
    [grpo("32 tokens"), []],
  ])("has the data and the context that it needs: %s", (said, found) => {
    const needed = /^cdr\/(?:objective-(?!plain)|expect|loss)/;
    expect(told(`stage a extends c { ${said} }`).filter((each) => needed.test(each))).toEqual(found);
  });
});

describe("a policy", () => {
  const dpo = "objective = dpo(beta = 0.1), loss = policy";
  const taught = 'model t extends m { from = "hf://a/b" }';
  const untrained = (parts: string) => told(parts).filter((each) => each.startsWith("cdr/policy-untrained"));
  it.each([
    [`stage a extends c { ${dpo} }`, ["cdr/policy-untrained dpo(beta = 0.1)"]],
    ["stage a extends c { adapters = lora(rank = 4) }", ["cdr/policy-untrained lora(rank = 4)"]],
    ["stage p extends c { }\nstage a extends c { from = p.last, adapters = lora(rank = 4) }", []],
    [
      "stage a extends c { objective = grpo(group = 4, reward = task, horizon = 8 tokens), loss = policy }",
      ["cdr/policy-untrained grpo(group = 4, reward = task, horizon = 8 tokens)"],
    ],
    [`stage b extends c { }\nstage a extends c { from = b.last, ${dpo} }`, []],
    [`${taught}\nstage a extends c { model = t, ${dpo} }`, []],
    ["stage a extends c { }", []],
  ])("starts from trained weights: %s", (said, found) => expect(untrained(said)).toEqual(found));
});

it("has an example in its page that has no mistakes", () => {
  const around = `stage tuned extends c { }
data pairs { from = "y.jsonl", format = preferences(prompt = row.q, chosen = row.a, rejected = row.b), tokenizer = bytes, tokens = 10M tokens }`;
  const { constructors } = objectives as Extract<Type, { kind: "choice" }>;
  const shown = Object.values(constructors).flatMap(({ example }) => example ?? []);
  expect(shown).not.toEqual([]);
  for (const example of shown)
    expect(told(`${around}\n${example}`).filter((each) => !/objective-plain|unused/.test(each))).toEqual([]);
});

describe("a service", () => {
  it.each([
    ["", ["cdr/service-idle v"]],
    ['command = "x", engine = vllm, key = k', ["cdr/service-idle vllm"]],
    ['command = "x", key = k', []],
    ['model = e, command = "x", key = k', []],
    ["model = e, engine = vllm", []],
    [
      "command = \"jupyter lab --ServerApp.token=''\", key = k",
      ["cdr/service-open \"jupyter lab --ServerApp.token=''\""],
    ],
    [
      'command = "jupyter lab --ServerApp.token= --port 3", key = k',
      ['cdr/service-open "jupyter lab --ServerApp.token= --port 3"'],
    ],
    ['command = "jupyter lab --port 3", key = k', []],
  ])("starts one thing, behind its key: { %s }", (said, found) => {
    expect(told(`stage a extends c { }\nexport e { model = a.last }\nservice v { ${said} }`)).toEqual(found);
  });
});

it.each([
  ["a", ["cdr/adapters-missing true"]],
  ["b", []],
  ["further", []],
])("adapters are merged where there are some: %s", (stage, found) => {
  const stages = `stage a extends c { }
stage b extends c { from = a.last, adapters = lora(rank = 4, alpha = 8) }
stage further extends c { from = b.last, adapters = none }
`;
  const format = "format = safetensors(merge_adapters = true)";
  expect(told(`${stages}export x { model = ${stage}.last, ${format} }`)).toEqual(found);
});

it.each([
  ['"torch >> 2"', false],
  ['""', false],
  ['"a b c"', false],
  ['"torch=2.3"', false],
  ['"-r x.txt"', false],
  ['"numpy==1.2.3"', true],
  ['"x[a,b]>=1,<2"', true],
  ['"y @ git+https://a/b@c"', true],
  ['"git+https://a/b@c"', true],
  ['"./local"', true],
  ['"z==2.*; python_version < \\"3.9\\""', true],
  ['"wheel (>=2)"', true],
  ['"torch==2.8.0+cu128"', true],
  ['"vllm~=0.10.1"', true],
])("packages are as pip spells them: %s", (text, isOne) => {
  const found = told(`python p { version = "3.11", packages = [${text}] }`);
  expect(found).toEqual(isOne ? [] : [`cdr/type-mismatch ${text}`]);
});

it.each([
  ["1 KB", false],
  ["1000 TB", false],
  ["192 GB", true],
])("a device has memory to train in: %s", (memory, isOne) => {
  const peaks = "fp32 = 10 TFLOPS, bf16 = 0 TFLOPS, fp16 = 100 TFLOPS";
  const found = told(`gpu g { memory = ${memory}, bandwidth = 1 TB/s, ${peaks} }`);
  expect(found).toEqual(isOne ? [] : [`cdr/value-range ${memory}`]);
});

it("an average is taken before the stage ends", () => {
  const found = (every: string) => told(`stage a extends c { ema { decay = 0.99, every = ${every} } }`);
  expect(found("20 steps")).toEqual(["cdr/period-never 20 steps"]);
  expect(found("5 steps")).toEqual([]);
});

describe("a value beside bounds that rule it out", () => {
  it.each([
    [
      "micro_batch >= 4 samples, micro_batch <= 2 samples, zero_stage <= 1, zero_stage = 3",
      ["cdr/bounds-contradict 2 samples", "cdr/bounds-contradict 3"],
    ],
    ["zero_stage in [1, 2], zero_stage = 3", ["cdr/bounds-contradict 3"]],
    ["zero_stage in [1, 2], zero_stage = 1", []],
  ])("is told with the others: %s", (layout, codes) => {
    const all = told(`stage a extends c { layout { ${layout} } }`);
    expect(all.filter((each) => each.startsWith("cdr/bounds"))).toEqual(codes);
  });
});

describe("a point at which no checkpoint stays", () => {
  it.each([
    ["keep = last(1)", 75, ["200 steps"]],
    ["keep = last(2)", 75, ["150 steps", "200 steps"]],
    ["keep = all", 75, ["50 steps", "100 steps"]],
    ["keep = last(1)", 50, ["keep = last(4)", "keep = all"]],
    ["keep = [best(val.loss)]", 50, ["keep = [best(val.loss), last(4)]", "keep = all"]],
    ["keep = last(3)", 75, ["200 steps"], "9000 steps"],
  ])("%s, at %i: valid are those that stay", (keep, at, valid, every = "50 steps") => {
    const text = `stage a extends c { length = 200 steps, checkpoint { every = ${every}, ${keep} } }
sample p { model = a.at(${at} steps), prompts = ["a"] }
`;
    const { diagnostics } = compile(
      { path: "main.cdr", text: head + text },
      {
        ...{ on: null, target: null, preset: null, overlayFiles: [], overlays: [], sets: [] },
        ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
      },
    );
    expect(diagnostics.flatMap((each) => (each.code === "cdr/checkpoint-at" ? each.valid : []))).toEqual(valid);
  });
});
