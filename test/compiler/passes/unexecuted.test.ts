/** What nothing carries out yet passes a check, and is refused by whoever would run it. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { emitBundle } from "../../../cli/bundle.ts";
import { alone } from "../../support/alone.ts";

const compiled = (text: string) => compile({ path: "main.cdr", text }, alone);

const model = "model m { family = gpt2, layers = 2, d_model = 64, heads = 2, context = 64 tokens }";
const stage = (name: string, more = "", data = "corpus") =>
  `stage ${name} { model = m, data = ${data}, length = 8 steps, batch = 2 samples, optimizer = adamw(lr = 1e-3)${more} }`;

const refused = (text: string, ...names: string[]) => {
  const { diagnostics, unexecuted } = compiled(text);
  expect(diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
  return unexecuted.of(names).map(({ code, message }) => `${code}: ${message}`);
};

it("refuses nothing that it can run", () => {
  const text = `data corpus { from = "a/*.txt", stream = false }\n${model}\n${stage("s")}`;
  expect(refused(text)).toEqual([]);
});

const begun = (from: string, more = "", stageMore = "") =>
  `data corpus { from = "a/*.txt" }\nmodel m { family = gpt2, layers = 2, d_model = 64, heads = 2, context = 64 tokens, from = ${from}${more} }\n${stage("s", stageMore)}`;

it("begins with weights of the Hub, a folder or another stage", () => {
  const weightsOf = (text: string) => {
    expect(refused(text)).toEqual([]);
    const { files } = emitBundle(compiled(text));
    const trainer = files.find(({ path }) => path === "stages/s/trainer.json");
    const { from_input, weights } = JSON.parse(trainer?.text ?? "{}") as Record<string, unknown>;
    return { from_input, weights };
  };
  const secret = 'secret token = env("TOKEN")';
  expect(weightsOf(`${secret}\n${begun('"hf://owner/name@v1"', ", key = token")}`)).toEqual({
    from_input: true,
    weights: { kind: "hub", repository: "owner/name", revision: "v1", token_env: "TOKEN" },
  });
  expect(weightsOf(begun('"./weights"'))).toEqual({
    from_input: true,
    weights: { kind: "folder", path: "./weights" },
  });
  const first = "model n { family = gpt2, layers = 2, d_model = 64, heads = 2, context = 64 tokens }";
  const two = `${first}\n${stage("before").replace("model = m", "model = n")}\n${begun("before.last")}`;
  expect(weightsOf(two)).toEqual({ from_input: true, weights: undefined });
});

it("refuses weights that no program here loads", () => {
  expect(refused(begun('"s3://bucket/weights"'))[0]).toMatch(/paths with the scheme s3:/);
  expect(refused(begun('"./weights"', ", format = gguf"))[0]).toMatch(/`gguf`/);
});

it("names the step, and everything in it that nothing carries out", () => {
  const text = `data corpus { from = "a/*.txt", keep = [length >= 50 chars], dedup = exact, tokenizer = tiktoken("gpt2") }`;
  expect(refused(text)).toEqual([
    "cdr/run-unsupported: data `corpus` cannot run yet: this version of cdrc does not support `keep`, `dedup`, `tiktoken`",
  ]);
});

it("refuses what reads something that cannot run, and runs what is beside it", () => {
  const text = [
    `data corpus { from = "a/*.txt" }`,
    `data odd { from = "gs://bucket/*.txt" }`,
    model,
    stage("good"),
    stage("bad", "", "odd"),
  ].join("\n");
  expect(refused(text, "good")).toEqual([]);
  expect(refused(text, "bad")).toHaveLength(1);
  expect(refused(text, "bad")[0]).toMatch(/data `odd`.*gs:\/\//);
  const { steps } = emitBundle(compiled(text));
  expect(steps.map(({ name }) => name)).toEqual(["corpus", "good"]);
});

it("refuses whole kinds, by the name of the block, with all that they would run", () => {
  const text = `job lint { command = ["ruff check ."] }\nworkflow checks { jobs = [lint] }`;
  expect(refused(text, "checks")).toEqual([
    "cdr/run-unsupported-kind: workflow `checks` cannot run yet: this version of cdrc only checks workflow blocks",
    "cdr/run-unsupported-kind: job `lint` cannot run yet: this version of cdrc only checks job blocks",
  ]);
});

it("refuses a launch that goes where nothing can start it, whatever is named", () => {
  const text = `data corpus { from = "a/*.txt" }\nlaunch far { target = ssh(hosts = ["a", "b"]) }`;
  expect(refused(text, "corpus")[0]).toMatch(/launch `far` cannot run yet.*`ssh`/);
});

it("has nothing to run in a file that only brings names", () => {
  expect(refused(model)[0]).toMatch(/^cdr\/run-nothing/);
});

const pod = `
data corpus { from = "a/*.txt", tokens = 1M tokens }
gpu card { memory = 80 GB, fp32 = 67 TFLOPS, bf16 = 990 TFLOPS, fp16 = 990 TFLOPS, bandwidth = 3.35 TB/s }
cluster pod { gpu = card, link = 450 GB/s, node { gpus = 4 } }
launch here on pod { target = slurm }
model dense { family = llama, layers = 4, d_model = 256, heads = 4, context = 128 tokens }
model mixture { family = qwen3_moe, layers = 4, d_model = 256, heads = 4, context = 128 tokens, moe { experts = 8, top_k = 2, d_ff = 128 } }
`;

const split = (engine: string, model: string, layout: string, optimizer = "adamw(lr = 1e-3)") => `${pod}
stage s { engine = ${engine}, model = ${model}, data = corpus, length = 8 steps, batch = 8 samples, optimizer = ${optimizer}, layout { ${layout} } }`;

it.each([
  ["deepspeed", "mixture", "expert_parallel = 2"],
  ["deepspeed", "dense", "pipeline_parallel = 2"],
  ["deepspeed", "dense", "context_parallel = 2"],
  ["megatron", "mixture", "expert_parallel = 2, tensor_parallel = 2"],
])("runs what %s splits: %s, %s", (engine, model, layout) => {
  expect(refused(split(engine, model, layout))).toEqual([]);
});

it("Megatron takes no weights of others", () => {
  const text = split("megatron", "dense", "tensor_parallel = 2").replace(
    "model dense {",
    'model dense { from = "./weights",',
  );
  expect(refused(text)[0]).toMatch(/stage `s` cannot run yet.*`from` of its model with `engine = megatron`/);
});

it("an engine that divides a model by the trainer's hands has the trainer's optimizers", () => {
  const text = split("deepspeed", "dense", "pipeline_parallel = 2", "adam8bit(lr = 1e-4)");
  expect(
    compiled(text)
      .unexecuted.of([])
      .map(({ message }) => message),
  ).toEqual(["stage `s` cannot run yet: this version of cdrc does not support `adam8bit`"]);
});

it("a layout that the engine cannot do is one error", () => {
  const { diagnostics, unexecuted } = compiled(split("megatron", "dense", "tensor_parallel = 2, zero_stage = 3"));
  expect(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)).toEqual([
    "cdr/layout-unsupported",
  ]);
  expect(unexecuted.of([])).toEqual([]);
});
