/** What a configuration of Megatron Bridge leaves out is a recipe's to say, unless the file is the whole configuration. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const model = "model:\n  tensor_model_parallel_size: 1\n  num_layers: 4\n  cuda_graph_impl: local\n";
const whole = `_target_: megatron.bridge.training.config.ConfigContainer\n${model}`;

const told = (text: string): readonly string[] =>
  checkForeign([{ path: "bridge.yaml", text }], { world: 8, gpusPerNode: 8, gpu: "h100" }, () => undefined)
    .diagnostics.filter(({ code }) => code === "cdr/bridge-graphs")
    .map(({ message }) => message);

it("asks a whole configuration for the generator that its graphs need", () => {
  expect(told(whole)).toEqual([expect.stringContaining("cuda_graph_impl local needs rng.te_rng_tracker true")]);
  expect(told(`${whole}rng:\n  te_rng_tracker: true\n`)).toEqual([]);
  expect(told(`${whole}  use_te_rng_tracker: true\n`)).toEqual([]);
  expect(told(whole.replace("local", "none"))).toEqual([]);
});

it("leaves what is laid over a recipe to the recipe", () => {
  expect(told(model)).toEqual([]);
});

it("knows a configuration by its classes", () => {
  const { diagnostics } = checkForeign(
    [
      {
        path: "a.yaml",
        text: "_target_: megatron.bridge.training.config.ConfigContainer\ntrain:\n  train_iters: 5\n",
      },
    ],
    { world: 8, gpusPerNode: 8, gpu: "h100" },
    () => undefined,
  );
  expect(diagnostics.filter(({ code }) => code === "cdr/foreign-kind")).toEqual([]);
});

const nemo = (trainer: string, more = ""): string =>
  `trainer: {${trainer}}\nmodel:\n  num_layers: 4\n  tensor_model_parallel_size: 4\n  pipeline_model_parallel_size: 4\n${more}`;
const codes = (text: string, files: Readonly<Record<string, string>> = {}, world: number | null = null) =>
  checkForeign(
    [{ path: "conf.yaml", text }, ...Object.entries(files).map(([path, script]) => ({ path, text: script }))],
    { world, gpusPerNode: null, gpu: null },
    () => undefined,
  )
    .diagnostics.filter(({ severity }) => severity !== "info")
    .map(({ code }) => code);

it("leaves the nodes that NeMo's file does not name to its command", () => {
  expect(codes(nemo("devices: 8"))).toEqual([]);
  expect(codes(nemo("devices: 8"), {}, 256)).toEqual([]);
  expect(codes(nemo("devices: 8"), {}, 24)).toContain("cdr/bridge-world");
  expect(codes(nemo("devices: 8, num_nodes: 1"))).toContain("cdr/bridge-world");
});

it("takes one virtual stage of NeMo for none", () => {
  const one = "  virtual_pipeline_model_parallel_size: 1\n";
  const alone = nemo("devices: 8, num_nodes: 1", one).replace(
    "pipeline_model_parallel_size: 4",
    "pipeline_model_parallel_size: 1",
  );
  expect(codes(alone)).toEqual([]);
  expect(
    codes(alone.replace("virtual_pipeline_model_parallel_size: 1", "virtual_pipeline_model_parallel_size: 2")),
  ).toContain("cdr/bridge-shape");
});
