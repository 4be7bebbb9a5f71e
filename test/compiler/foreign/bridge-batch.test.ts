/** The batch of NeMo and Megatron Bridge: a whole number of micro-batches for every replica that the files tell of. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const told = (text: string, world: number | null = null): readonly string[] =>
  checkForeign([{ path: "config.yaml", text }], { world, gpusPerNode: 8, gpu: "h100" }, () => undefined)
    .diagnostics.filter(({ code }) => code === "cdr/bridge-batch")
    .map(({ message }) => message);

const nemo = (batch: number, more = ""): string =>
  `trainer: {devices: 8, num_nodes: 4}\nmodel:\n  micro_batch_size: 2\n  global_batch_size: ${batch}\n  tensor_model_parallel_size: 4\n  pipeline_model_parallel_size: 2\n${more}`;

const bridge = (batch: number, more = "", section = ""): string =>
  `${section}model:\n  tensor_model_parallel_size: 2\n${more}train:\n  train_iters: 10\n  micro_batch_size: 4\n  global_batch_size: ${batch}\n`;

it("counts the replicas of a file of NeMo by its own trainer", () => {
  expect(told(nemo(250))).toEqual([
    "global_batch_size 250 is not a multiple of micro_batch_size 2 x 4 data-parallel ranks = 8",
  ]);
  expect(told(nemo(256))).toEqual([]);
  expect(told(nemo(250, "  context_parallel_size: 4\n"))).toEqual([]);
});

it("leaves to a recipe the sizes that the file does not say", () => {
  expect(told(bridge(60), 8)).toEqual([]);
  expect(told(bridge(62), 8)).toEqual(["global_batch_size 62 is not a multiple of micro_batch_size 4"]);
  const whole = "_target_: megatron.bridge.training.config.ConfigContainer\n";
  const message = "global_batch_size 60 is not a multiple of micro_batch_size 4 x 4 data-parallel ranks = 16";
  expect(told(bridge(60, "", whole), 8)).toEqual([message]);
  const rest = "  pipeline_model_parallel_size: 1\n  context_parallel_size: 1\n";
  expect(told(bridge(60, rest), 8)).toEqual([message]);
  expect(told(bridge(60, rest))).toEqual([]);
});

it("is silent where the batch may shrink to what divides", () => {
  expect(told(`${bridge(62)}  decrease_batch_size_if_needed: true\n`, 8)).toEqual([]);
});
