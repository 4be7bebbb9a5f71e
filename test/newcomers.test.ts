/** What newcomers type: one message each, and a fix after which nothing is wrong. */
import { expect, it } from "vitest";
import { compile } from "../compiler/compile.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";

const whole = `import "std/gpus" { cpu }
import "std/clusters" { dgx_a100 }
data web { from = "c/*.txt" }
model m { family = llama, layers = 4, d_model = 128, heads = 4, context = 256 tokens }
stage s {
  model     = m
  data      = web
  length    = 100 steps
  batch     = 8 samples
  optimizer = adamw(lr = 1e-3)
}
cluster box { gpu = cpu, node { ram = 96 GB } }
launch h on box { target = slurm(partition = "all") }
`;

const told = (text: string): readonly Diagnostic[] =>
  compile(
    { path: "main.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    },
  ).diagnostics;

function fixed(text: string, { fixes: [fix] }: Diagnostic): string {
  const edits = (fix?.edits ?? []).toSorted((a, b) => b.span.start - a.span.start);
  return edits.reduce((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text);
}

it("is told of a file that is well", () => {
  expect(told(whole)).toEqual([]);
});

const length = "  length    = 100 steps\n";
const batch = "  batch     = 8 samples\n";
const rate = "  optimizer = adamw(lr = 1e-3)\n";
const after = (line: string): [string, string] => [rate, `${rate}  ${line}\n`];
const target = (argument: string): [string, string] => ['slurm(partition = "all")', `slurm(${argument})`];

/** What is typed in place of what, its code, and what its first fix makes of it. */
const habits: readonly (readonly [string, readonly [string, string], string, string])[] = [
  ["lr: 1e-4", ["adamw(lr = 1e-3)", "adamw(lr: 1e-4)"], "syntax-colon", "adamw(lr = 1e-4)"],
  ["- web", after("track =\n    - console"), "syntax-list-item", "track = [\n    console]"],
  ["yes", after("compile = yes"), "name-unknown", "compile = true"],
  ["1 << 10", after("seed = 1 << 10"), "syntax-operator", "seed = 1024"],
  ["1 << n", after("seed = 1 << m.heads"), "syntax-operator", "seed = pow(2, m.heads)"],
  ["n >> 1", after("seed = m.heads >> 1"), "syntax-operator", "seed = floor(m.heads / pow(2, 1))"],
  [
    "text % value",
    after('checkpoint { every = 5 steps, name = "ck-%d" % m.heads }'),
    "syntax-operator",
    'name = "ck-${m.heads}" }',
  ],
  [
    "text % (a, b)",
    after('checkpoint { every = 5 steps, name = "%d-%d%%" % (m.heads, m.layers) }'),
    "syntax-operator",
    'name = "${m.heads}-${m.layers}%" }',
  ],
  [
    "c ? a : b in a text",
    after('checkpoint { every = 5 steps, name = "ck-${m.heads > 3 ? "a" : "b"}" }'),
    "syntax-operator",
    '"ck-${if m.heads > 3 then "a" else "b"}"',
  ],
  ["3e-4 to 1e-4", ["lr = 1e-3", "lr = 3e-4 to 1e-4"], "syntax-foreign", "lr = 3e-4)"],
  ["8 to 16 samples", [batch, "  batch = 8 to 16 samples\n"], "syntax-foreign", "batch = 8 samples"],
  [
    "in 1 to 4",
    ["cluster box", "sweep w { stage = s, vary { seed in 1 to 4 } }\ncluster box"],
    "syntax-foreign",
    "vary { seed in 1..4 }",
  ],
  [
    "in 1 samples to 4 samples",
    after("layout { micro_batch in 1 samples to 4 samples }"),
    "syntax-foreign",
    "in 1..4 samples",
  ],
  ["stage = s {", ["stage s {", "stage = s {"], "syntax-declaration", "stage s {"],
  [
    "after before extends",
    ["cluster box", "stage b after web extends s { seed = 5 }\ncluster box"],
    "syntax-header",
    "stage b extends s after web { seed",
  ],
  [
    "after twice",
    ["cluster box", 'data d { from = "d" }\nstage b extends s after web after d { seed = 5 }\ncluster box'],
    "syntax-header",
    "stage b extends s after web, d { seed",
  ],
  ["llama-3", ["family = llama", "family = llama-3"], "name-unknown", "family = llama,"],
  ["gpt-neox", ["family = llama", "family = gpt-neox"], "name-unknown", "family = gpt_neox"],
  ["bf16-mixed as a word", after("precision = bf16-mixed"), "name-unknown", "precision = bf16"],
  ["adam-w(…)", ["adamw(lr = 1e-3)", "adam-w(lr = 1e-3)"], "name-unknown", "adamw(lr = 1e-3)"],
  ["enabled = false", after("checkpoint { enabled = false }"), "property-foreign", "checkpoint { when = false }"],
  [
    "enabled = true",
    after("checkpoint { enabled = true, every = 5 steps }"),
    "property-foreign",
    "checkpoint { every = 5 steps }",
  ],
  ["enabled = a > b", after("enabled = m.heads > 3"), "property-foreign", "when = m.heads > 3"],
  ["disabled = true", after("eval { disabled = true }"), "property-foreign", "eval { when = false }"],
  ["time <= 3 hours", after("time <= 3 hours"), "unit-unknown", "time <= 3 h"],
  ["last(2 iterations)", after("checkpoint { keep = last(2 iterations) }"), "unit-mismatch", "last(2)"],
  [
    "a docstring above a block",
    ["stage s {", '"""\nOne.\n\nMore.\n"""\nstage s {'],
    "syntax-foreign",
    "\n/// One.\n///\n/// More.\nstage s {",
  ],
  [
    "a docstring in a block",
    ["stage s {\n", 'stage s {\n  """One."""\n'],
    "syntax-foreign",
    "\n/// One.\nstage s {\n  model ",
  ],
  ["a docstring of a member", [rate, `  """One."""\n${rate}`], "syntax-foreign", `\n  /// One.\n${rate}`],
  ["True", after("compile = True"), "name-unknown", "compile = true"],
  ["None", after("clip = None"), "name-unknown", "clip = none"],
  ["'x'", ['"c/*.txt"', "'c/*.txt'"], "syntax-string-quotes", '"c/*.txt"'],
  ["data_files", ["from = ", "data_files = "], "property-foreign", 'from = "c/*.txt"'],
  ["adamw(lr <= 3e-4)", ["adamw(lr = 1e-3)", "adamw(lr <= 3e-4)"], "argument-unnamed", "adamw(lr = 3e-4)"],
  ["adamw(3e-4)", ["adamw(lr = 1e-3)", "adamw(3e-4)"], "argument-unnamed", "adamw(lr = 3e-4)"],
  ["betas = (0.9, 0.95)", ["lr = 1e-3", "lr = 1e-3, betas = (0.9, 0.95)"], "syntax-tuple", "betas = [0.9, 0.95]"],
  ['source "web" { }', ["data web", 'data "web"'], "syntax-quoted-name", "data web"],
  [
    "checkpoint = { … }",
    after("checkpoint = { every = 10 steps }"),
    "block-assigned",
    "checkpoint { every = 10 steps }",
  ],
  ["depends_on", after("depends_on = [web]"), "property-unknown", "after web"],
  ['"batch": 8', [batch, '  "batch": 8 samples\n'], "syntax-colon", "batch = 8 samples"],
  ['"bf16"', after('precision = "bf16"'), "value-quoted", "precision = bf16"],
  ['"gpt2"', ["family = llama", 'family = "gpt2"'], "value-quoted", "family = gpt2"],
  [
    "test short { }",
    ["cluster box", "test short { assert s.batch == 8 samples }\ncluster box"],
    "kind-unknown",
    'test "short" {',
  ],
  ["c/a?.txt", ['"c/*.txt"', "c/a?.txt"], "syntax-quotes", '"c/a?.txt"'],
  ["null", after("clip = null"), "name-unknown", "clip = none"],
  ["time = 36:00:00", target("time = 36:00:00"), "syntax-clock-time", "time = 36 h"],
  ["memory = 80G", target("memory = 80G"), "syntax-number-suffix", "memory = 80 GB"],
  ["64Gi", target("memory = 64Gi"), "unit-missing", "memory = 64 GiB"],
  ["$RUN", after('checkpoint { every = 5 steps, name = "$RUN-${run.step}" }'), "syntax-string-dollar", "${run.id}-"],
  ["30m", after("checkpoint { every = 30m }"), "syntax-number-suffix", "every = 30 min"],
  ["4k", ["256 tokens", "4k tokens"], "syntax-number-suffix", "4K tokens"],
  [
    "1b params",
    ["layers = 4, d_model = 128, heads = 4", "size = auto(total = 1b params)"],
    "syntax-number-suffix",
    "1B params",
  ],
  ["dgx-a100", ["{ dgx_a100 }", "{ dgx-a100 }"], "syntax-hyphen", "{ dgx_a100 }"],
  ["80gb", ["ram = 96 GB", "ram = 80gb"], "syntax-number-suffix", "ram = 80 GB"],
  ["batch = 480", [batch, "  batch = 480\n"], "unit-missing", "batch = 480 samples"],
  ["60 percent", ["heads = 4", "heads = 4, dropout = 20 percent"], "unit-unknown", "dropout = 20%"],
  ["60pct", ["heads = 4", "heads = 4, dropout = 20pct"], "syntax-number-suffix", "dropout = 20%"],
  ["keep = last(2 steps)", after("checkpoint { keep = last(2 steps) }"), "unit-mismatch", "keep = last(2)"],
  ["d_model = ${…}", ["d_model = 128", 'd_model = "${m.heads * 32}"'], "type-mismatch", "d_model = m.heads * 32"],
  ["data = ${…}", ["data      = web", 'data      = "${web}"'], "type-mismatch", "data      = web"],
  ["lr = 6-4", ["lr = 1e-3", "lr = 6-4"], "value-exponent", "lr = 6e-4"],
  ["lr = 1-5", ["lr = 1e-3", "lr = 1-5"], "value-exponent", "lr = 1e-5"],
  ["betas = [9-1, …]", ["lr = 1e-3", "lr = 1e-3, betas = [9-1, 0.95]"], "value-exponent", "betas = [9e-1, 0.95]"],
  ["max_steps = 1000", [length, "  max_steps = 1000\n"], "property-foreign", "length = 1000 steps"],
  ["bf16 = true", after("bf16 = true"), "property-foreign", "precision = bf16"],
  ["save_total_limit", after("save_total_limit = 3"), "property-foreign", "checkpoint { keep = last(3) }"],
  ["warmup_ratio", after("warmup_ratio = 0.03"), "property-foreign", rate + "}"],
  ["gradient_accumulation_steps", after("gradient_accumulation_steps = 4"), "property-foreign", rate + "}"],
  [
    "per_device_train_batch_size",
    after("per_device_train_batch_size = 4"),
    "property-foreign",
    "layout { micro_batch = 4 samples }",
  ],
  ["dropout = 20", ["heads = 4", "heads = 4, dropout = 20"], "value-range", "dropout = 20%"],
  ["context = 4K tokens", ["256 tokens", "4K tokens"], "scale-binary", "4Ki tokens"],
  ["n_kv_heads", ["heads = 4", "heads = 4, n_kv_heads = 2"], "property-foreign", "heads = 4, kv_heads = 2"],
  ["seq_len", after("seq_len = 128"), "property-foreign", "context = 128 tokens"],
  ["engine = fsdp2", after("engine = fsdp2"), "name-unknown", "engine = torch"],
  [
    "elif",
    after("seed = if m.layers > 8 then 1 elif m.layers > 4 then 2 elif m.heads > 9 then 3 else 4"),
    "syntax-foreign",
    "1 else if m.layers > 4 then 2 else if m.heads > 9 then 3",
  ],
  [
    "elif below",
    after("seed = if m.layers > 8 then m.heads\n    elif m.layers > 4 then 2\n    else 4"),
    "syntax-foreign",
    "\n    else if m.layers > 4",
  ],
  ...[
    ["range(3)", "[x for x in range(3)][0]", "[x for x in 0..2][0]"],
    ["range(1, m.layers)", "[x for x in range(1, m.layers)][0]", "1..m.layers - 1"],
    ["int(2.5)", "int(2.5)", "floor(2.5)"],
    ["float(2)", "float(2)", "seed = 2"],
  ].map(
    ([name = "", written = "", mended = ""]) =>
      [name, after(`seed = ${written}`), "call-not-callable", mended] as const,
  ),
  ["str(x)", after("project = str(m.layers)"), "call-not-callable", '"${m.layers}"'],
  [
    "seed = range(3) in vary",
    ["cluster box", "sweep w { stage = s, vary { seed = range(3) } }\ncluster box"],
    "property-unknown",
    "vary { seed in 0..2 }",
  ],
  ["engine = torchtitan", after("engine = torchtitan"), "name-unknown", "engine = torch"],
  ["512 sequences", [batch, "  batch = 512 sequences\n"], "unit-unknown", "batch = 512 samples"],
  ["512 seqs", [batch, "  batch = 512 seqs\n"], "unit-unknown", "batch = 512 samples"],
  ["10 000 steps", ["100 steps", "10 000 steps"], "syntax-number", "10_000 steps"],
  ["10'000 steps", ["100 steps", "10'000 steps"], "syntax-number", "10_000 steps"],
  ["10_000*steps", ["100 steps", "10_000*steps"], "name-unknown", "10_000 steps"],
  ["6.e-4", ["1e-3", "6.e-4"], "syntax-number", "lr = 6.0e-4"],
  ["keep = last 3", after("checkpoint { every = 10 steps, keep = last 3 }"), "syntax-separator", "keep = last(3)"],
  [
    "cosine(20 steps, 10%)",
    after("schedule = cosine(20 steps, 10%)"),
    "argument-unnamed",
    "cosine(warmup = 20 steps, to = 10%)",
  ],
  ["resume = true", after("resume = true"), "type-mismatch", "resume = exact"],
  [
    "a.b % c.d == 0",
    ["cluster box", "assert s.batch % m.heads == 0\ncluster box"],
    "syntax-operator",
    "m.heads divides s.batch",
  ],
  ["a.b % 4 > 1", after("compile = m.heads % 3 > 0"), "syntax-operator", "mod(m.heads, 3) > 0"],
  ["stage 1s", ["stage s", "stage 1s"], "syntax-header-word", "stage _1s"],
  ["stage: s {", ["stage s {", "stage: s {"], "syntax-declaration", "stage s {"],
  ["train s {", ["stage s {", "train s {"], "kind-unknown", "stage s {"],
  ["dataset web {", ["data web {", "dataset web {"], "kind-unknown", "data web {"],
  [
    "lr_scheduler = cosine(…)",
    after("lr_scheduler = cosine(warmup = 10 steps)"),
    "property-foreign",
    "schedule = cosine(warmup = 10 steps)",
  ],
  ["mixed_precision", after('mixed_precision = "no"'), "property-foreign", "precision = fp32"],
  ["report_to", after('report_to = "wandb"'), "property-foreign", "track = [console, wandb]"],
  [
    "torch.optim.AdamW",
    ["adamw(lr = 1e-3)", "torch.optim.AdamW(lr = 1e-3)"],
    "value-choice",
    "optimizer = adamw(lr = 1e-3)",
  ],
  ["bf16-mixed", after('precision = "bf16-mixed"'), "type-mismatch", "precision = bf16"],
  ['loss = "cross_entropy"', after('loss = "cross_entropy"'), "formula-result", "loss = cross_entropy"],
  ["source = …", ['from = "c/*.txt"', 'source = "c/*.txt"'], "property-foreign", 'from = "c/*.txt"'],
  [
    "eval { checkpoint }",
    ["cluster box", "eval e { checkpoint = s.last, data = web }\ncluster box"],
    "property-foreign",
    "eval e { model = s.last",
  ],
  [
    "eval { stage }",
    ["cluster box", "eval e { stage = s, data = web }\ncluster box"],
    "property-foreign",
    "eval e { model = s.last",
  ],
  ["cluster { type }", ["gpu = cpu", "type = cpu"], "property-foreign", "gpu = cpu"],
  ["var.x", after("seed = var.m.layers"), "name-unknown", "seed = m.layers"],
  [
    "fn with braces",
    ["cluster box", "fn half(x: Int) { return x / 2 }\ncluster box"],
    "syntax-foreign",
    "fn half(x: Int) = x / 2",
  ],
  [
    "fn with lines",
    ["cluster box", "fn half(x: Int) {\n  return x / 2\n}\ncluster box"],
    "syntax-foreign",
    "fn half(x: Int) = x / 2",
  ],
  [
    "assert(a, b)",
    ["cluster box", 'assert(m.layers == 4, "four")\ncluster box'],
    "syntax-foreign",
    'assert m.layers == 4 else "four"',
  ],
  [
    "a if c else b",
    after("seed = 1 if m.layers > 2 else 3"),
    "syntax-condition",
    "seed = if m.layers > 2 then 1 else 3",
  ],
  ["2d12h", target("time = 2d12h"), "syntax-number", "time = 60 h"],
  ["1h30m", target("time = 1h30m"), "syntax-number", "time = 90 min"],
  ["let model = m in a stage", ["model     = m", "let model = m"], "misplaced", "  model = m"],
];

it.each(habits)("%s", (_, [from, to], code, mended) => {
  expect(whole).toContain(from);
  const text = whole.replace(from, () => to);
  const found = told(text);
  expect(found.map((diagnostic) => diagnostic.code)).toEqual([`cdr/${code}`]);
  const [first] = found;
  if (first === undefined) return;
  const after = fixed(text, first);
  expect(after).toContain(mended);
  expect(told(after).filter(({ severity }) => severity === "error" || severity === "warning")).toEqual([]);
});

it.each(["6 - 4", "6 -4", "(6-4)/1e4", "6e-4", "2 - 1.5"])("takes lr = %s as it is written", (rate) => {
  expect(told(whole.replace("lr = 1e-3", `lr = ${rate}`))).toEqual([]);
});

it.each([
  ["the unit of a count that may not be so much", "momentum = 5 steps", /5$/],
  ["the unit of a rate", "momentum = 0.9 tokens/s", /9$/],
])("does not offer to leave out %s", (_, written, offered) => {
  const found = told(whole.replace("adamw(lr = 1e-3)", `sgd(lr = 1e-3, ${written})`));
  expect(found.map(({ code }) => code)).toEqual(["cdr/unit-mismatch"]);
  expect(found.flatMap(({ fixes }) => fixes.flatMap(({ edits }) => edits)).map(({ newText }) => newText)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(offered)]),
  );
});

it.each([
  ["a number behind digits", "seed = [7 000][0]", "syntax-number"],
  ["three digits of another value", "prompts = 7 0001", "syntax-separator"],
  ["a divisor whose dividend is multiplied", "seed = 2 * m.heads % 3", "syntax-operator"],
])("%s", (_, written, code) => {
  const [from, to] = after(written);
  expect(told(whole.replace(from, () => to)).map((each) => each.code)).toContain(`cdr/${code}`);
});

it.each([
  ["beyond 2^53", "param big: Int = 1e300", "value-infinite"],
  ["nodes below none", "param few: Nodes = -1 nodes", "value-range"],
  ["a truth behind `in`", "param k: Bool in true = true", "type-mismatch"],
])("a param: %s", (_, line, code) => {
  expect(told(`${whole}${line}\n`).map((each) => each.code)).toEqual([`cdr/${code}`]);
});

it.each([
  ["a division by 0 in a formula", "expect loss / 0 < 3", "value-infinite"],
  ["as many restarts as steps", "schedule = cosine(restarts = 100)", "value-range"],
])("a stage: %s", (_, line, code) => {
  const [from, to] = after(line);
  expect(told(whole.replace(from, () => to)).map((each) => each.code)).toEqual([`cdr/${code}`]);
});

it("a word of another language among the settings of an optimizer", () => {
  const found = told(whole.replace("adamw(lr = 1e-3)", 'adamw(lr = 1e-3, type = "adamw")'));
  expect(found.map(({ fix }) => fix)).toEqual([
    "The word itself says which it is: `adamw(…)` takes only its settings.",
  ]);
});

it.each([
  ["'ck-%d' % m.heads", ["syntax-string-quotes"]],
  ['"ck-%04d" % m.heads', ["syntax-operator"]],
  ["m.heads << 2 + 1", ["syntax-operator"]],
])("offers no fix of a text's values or a shift that it cannot read: %s", (written, codes) => {
  const [from, to] = after(`checkpoint { every = 5 steps, name = ${written} }`);
  const found = told(whole.replace(from, () => to));
  expect(found.map(({ code }) => code)).toEqual(codes.map((code) => `cdr/${code}`));
  expect(found.flatMap(({ fixes }) => fixes.map(({ title }) => title)).join()).not.toContain("m.heads");
});

it("says what orders steps where Airflow's sign does", () => {
  const found = told(`${whole}web >> s\n`);
  expect(found.map(({ code, message }) => [code, message])).toEqual([
    ["cdr/syntax-operator", expect.stringContaining("after a")],
  ]);
});

it.each([
  ["cluster box", "!include other.cdr\ncluster box", "syntax-import-form", 'import "other.cdr" as other'],
  ["cluster box", "include other.cdr\ncluster box", "syntax-import-form", 'import "other.cdr" as other'],
  ["cluster box", '@include "other.cdr"\ncluster box', "syntax-import-form", 'import "other.cdr" as other'],
  ["data      = web", "data = !include ./other.cdr", "syntax-foreign", 'import "./other.cdr" { other }\n'],
  ["data      = web", "data = !include ./web.cdr", "syntax-foreign", undefined],
  ["data      = web", "data = !include web.yaml", "syntax-foreign", undefined],
])("tells how a file is imported: %s, %s", (from, to, code, newText) => {
  const found = told(whole.replace(from, to));
  expect(found.map((each) => each.code)).toEqual([`cdr/${code}`]);
  expect(found[0]?.fixes[0]?.edits[0]?.newText).toBe(newText);
});

it("counts a length in what it may be counted, whatever time is called", () => {
  const [of, called] = ["3 h", "3 hours"].map((time) => told(whole.replace("100 steps", time)));
  expect(of?.map(({ code }) => code)).toEqual(["cdr/unit-mismatch"]);
  expect(called?.map(({ code, message }) => [code, message])).toEqual(
    of?.map(({ code, message }) => [code, message]),
  );
});

it("does not offer what is being declared as its own value", () => {
  const valid = (line: string): readonly string[] => told(`${whole}${line}\n`).flatMap((each) => each.valid ?? []);
  expect(valid("param lr: Float = x1")).toEqual([]);
  expect(valid("let rate = x1")).not.toContain("rate");
  expect(valid("let rate = x1")).toContain("m");
});

it("leaves it to the reader which of two bases is meant", () => {
  const found = told(`${whole}stage b extends s extends t { seed = 5 }\n`);
  expect(found.map(({ code, fixes }) => [code, fixes])).toEqual([["cdr/syntax-header", []]]);
});

it("for_each", () => {
  const [from, to] = after("for_each = [1, 2]");
  expect(told(whole.replace(from, () => to)).map(({ message }) => message)).toEqual([
    expect.stringContaining("a sweep runs a stage more than once"),
  ]);
});

it("tells of a key in an address once", () => {
  const key = "AKIAIOSFODNN7EXAMPLE";
  const [from, to] = after(`checkpoint { to = "s3://${key}:wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY@bucket" }`);
  const found = told(whole.replace(from, () => to));
  expect(found.map(({ code }) => code)).toEqual(["cdr/secret-written"]);
});

it("does not take GPUs for as many nodes", () => {
  const found = told(whole.replace("gpu = cpu,", "gpu = cpu, nodes = 2 gpus,"));
  expect(found.map(({ code, fixes }) => [code, fixes])).toEqual([["cdr/unit-mismatch", []]]);
});

it.each([
  ["a whole number", "heads = 4", "heads = 6-4"],
  ["powers that nobody writes", 'from = "c/*.txt"', 'source a { from = "c/*.txt", weight = 60-40 }'],
])("takes a difference for one where %s stands", (_, from, to) => {
  expect(whole).toContain(from);
  expect(told(whole.replace(from, to)).map(({ code }) => code)).not.toContain("cdr/value-exponent");
});

it.each([
  ["nanotron", "write `megatron`: nothing here starts nanotron, and Megatron splits a model over ranks as it does"],
  ["fsdp2", "write `torch`: it uses FSDP2 with `layout { zero_stage = 3 }`"],
])("says why engine = %s is another word here", (word, said) => {
  const [from, to] = after(`engine = ${word}`);
  expect(told(whole.replace(from, () => to)).flatMap(({ fixes }) => fixes.map(({ title }) => title))).toEqual([said]);
});
