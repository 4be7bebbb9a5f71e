/** What people write who know other tools, or who slip: each is one message with what is written here. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const base = `import "std/clusters" { dgx_h100 }
data web { from = "corpus/*.txt", tokenizer = bytes, split { val = 1% } }
model small { family = llama, layers = 4, d_model = 256, heads = 4, context = 256 tokens }
stage pre { model = small, data = web, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;
const told = (text: string) =>
  compile({ path: "main.cdr", text: base + text }, alone).diagnostics.filter(({ severity }) => severity === "error");

it.each([
  ["cluster c extends dgx_h100 { gpus = 4 }", "node { gpus = 4 }"],
  ["cluster c extends dgx_h100 { gpus_per_node = 4 }", "node { gpus = 4 }"],
  ["stage s extends pre { from = pre.final }", "last"],
  ["stage s extends pre { from = pre.latest }", "last"],
  ["stage s extends pre { adapters = lora(rank = 8, alpha = 16, targets = [q_proj, v]) }", "q"],
  ['stage s extends pre { adapters = lora(rank = 8, alpha = 16, targets = ["o_proj", v]) }', "o"],
  ["param size: Enum { small_one, big } = small_one", "enum Size { small_one, big }\nparam size: Size"],
  ["param model_size: enum { a, b } = a", "enum ModelSize { a, b }\nparam model_size: ModelSize"],
  ["cluster c extends dgx_h100 { ram = 512 GB }", "node { ram = 512 GB }"],
  ["cluster c extends dgx_h100 { cpus = 64 }", "node { cpu = 64 cores }"],
  ["stage s extends pre { precision = bf15 }", "bf16"],
  ["stage s extends pre { expect loss < = 3 }", "<="],
  ["stage s extends pre { from = pre }", "pre.last"],
  ["stage s extends pre { cost <= $500 }", "500 usd"],
  ["assert small.layers = 4", "=="],
  ["stage s extends pre { expect loss = 4 }", "=="],
  ["stage s extends pre { adapters = lora(r = 8, alpha = 16) }", "rank"],
  ["eval e { model = pre, tasks = [mmlu] }", "pre.last"],
  ["service s { model = pre.last, engine = vllm(max_model_len = 4096), port = 8000 }", "vllm"],
  ["model m extends small { family = mixtral, moe { experts = 8, top_k = 2, shared = 1 } }", "shared_experts = 1"],
  ["model m extends small { family = mixtral, moe { n_routed_experts = 8, top_k = 2 } }", "experts = 8"],
])("%s", (text, written) => {
  const [found, ...others] = told(text);
  expect(others).toEqual([]);
  expect(found?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual([written]);
});

it.each([
  ["stage s extends pre { precision = fp15 }", "cdr/name-unknown", /Correct the spelling/],
  [
    "stage s extends pre { eval { every = 5 steps }, checkpoint { every = 5 steps, keep = best(val.loss, 2) } }",
    "cdr/argument-unnamed",
    /takes `metric` and nothing else/,
  ],
  ['model m { from = "hf://a/b" }', "cdr/property-missing", /`family = …`/],
  ['job j { command = "a", python = "3.11" }', "cdr/type-mismatch", /`python mine \{ … \}`/],
  [
    "stage s extends pre { objective = distill(teacher = pre.last) }",
    "cdr/loss-objective",
    /cross_entropy \+ distill/,
  ],
  ["stage s extends pre { optimizer = adamw }", "cdr/argument-missing", /`adamw\(lr = …\)`/],
  ["class big { layers = 3 }", "cdr/syntax-foreign", /as the message says/],
  ["let pod = dgx_h100 with { nodes = 2 }\nlaunch l on pod { }", "cdr/name-unknown", /cluster pod extends dgx_h100/],
  [
    'plugin lion { role = optimizer, factory = "a.b:C", param lr: Float }\nstage s extends pre { loss = lion(lr = 1e-3) }',
    "cdr/call-not-callable",
    /with the role that this property needs/,
  ],
])("%s is told what to write", (text, code, fix) => {
  const [found, ...others] = told(text);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code, fix: expect.stringMatching(fix) as string });
});

it("figures in bits are shown in bits", () => {
  expect(told("stage s extends pre { expect loss < 3 bits }")[0]?.message).toContain("3 bits");
});

it("a default of env is told where it stands, a variable by its name", () => {
  const param = 'param m: Int = env("MM", default = "x")';
  expect(told(param).map(({ span }) => span.source.path)).toEqual(["main.cdr"]);
  const set = { ...alone, environment: () => "y" };
  const [found] = compile({ path: "main.cdr", text: param }, set).diagnostics;
  expect(found?.span.source).toMatchObject({ path: "environment variable MM", text: "y" });
  expect(told('param n: Int = env("NN", default = "8")\nassert n == 8')).toEqual([]);
});

it("words that mean nothing are shown as they were written, and what lacks a port is not open", () => {
  expect(told("stage s extends pre { attention = [vision, language] }")[0]?.message).toContain(
    "not [vision, language]",
  );
  const open = 'service s { command = "x", ports = 9090 }';
  expect(compile({ path: "m.cdr", text: open }, alone).diagnostics.map(({ code }) => code)).toEqual([
    "cdr/property-unknown",
  ]);
});

it("what a sweep varies is not judged where its stage is not known", () => {
  expect(told("sweep s { evel = pre, vary { model in [small] } }").map(({ code }) => code)).toEqual([
    "cdr/property-unknown",
  ]);
});

it("a family that is missing may be one of those that are listed", () => {
  expect(told("model m { layers = 2 }")[0]?.valid).toContain("llama");
});

it.each([
  ["stage s extends pre { optimizer = adamw(lr = 1e-3, beta1 = 0.9) }", /betas = \[0\.9, 0\.95\]/],
  ["stage s extends pre { schedule = cosine(min_lr = 1e-5) }", /`to = 10%`/],
  ["stage s extends pre { schedule = wsd(eta_min = 1e-5) }", /`to = 10%`/],
  ["stage s extends pre { schedule = linear(total_steps = 100) }", /`length`/],
  ["stage s extends pre { schedule = cosine(decay_steps = 100) }", /`length`/],
  ["stage s extends pre { ema { decay = 1.5 } }", /in the range/],
])("what another form says is told where no word alone mends it: %s", (text, fix) => {
  const [found, ...others] = told(text);
  expect(others).toEqual([]);
  expect(found?.fixes).toEqual([]);
  expect(found?.fix).toMatch(fix);
});

it("the decay of a warm-up, stable, decay schedule is its cooldown by any of its names", () => {
  const [found, ...others] = told("stage s extends pre { schedule = wsd(decay_steps = 100 steps) }");
  expect(others).toEqual([]);
  expect(found?.fixes.map(({ title }) => title)).toEqual(["write `cooldown`"]);
});

it("what moves the rest beside Muon is AdamW with one rate, and decay is said at Muon", () => {
  expect(told("stage s extends pre { optimizer = muon(lr = 0.02, others = adamw(lr = 3e-4)) }")).toEqual([]);
  const [found, ...others] = told(
    "stage s extends pre { optimizer = muon(lr = 0.02, others = adamw(lr = 3e-4, weight_decay = 0.1)) }",
  );
  expect(others).toEqual([]);
  expect(found?.fix).toMatch(/`weight_decay` of `muon`/);
});

it("a share that lost its sign is offered it", () => {
  const [found, ...others] = told("let a = 10 of 500 tokens\nlet b = 0.5 of 500 tokens\nlet c = 150% of 500 tokens");
  expect(others).toEqual([]);
  expect(found?.code).toBe("cdr/operator-operands");
  expect(found?.fixes.map(({ title }) => title)).toEqual(["write `10%`"]);
});

it("what another form says as a share is offered as one", () => {
  const [found, ...others] = told("stage s extends pre { schedule = cosine(warmup_ratio = 0.1) }");
  expect(others).toEqual([]);
  expect(found?.fixes.map(({ title }) => title)).toEqual(["write `warmup = 10%`"]);
});

it.each([
  ["workflow w { jobs = [pre], on_failure = retry }", /fail_fast/],
  ["workflow w { jobs = [pre], retries = 3 }", /cdrc run/],
  ["service s { model = pre.last, autoscale { min = 1, max = 3 } }", /replicas = 3/],
  ["service s { model = pre.last, autoscale = 3 }", /replicas = 3/],
])("what this has no word for is told what there is: %s", (text, message) => {
  const [found, ...others] = told(text);
  expect(others).toEqual([]);
  expect(found?.code).toBe("cdr/property-foreign");
  expect(found?.message).toMatch(message);
});
