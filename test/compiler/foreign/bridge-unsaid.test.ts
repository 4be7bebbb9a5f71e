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
