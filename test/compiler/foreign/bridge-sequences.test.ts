/** How ranks of Megatron Bridge share a sequence: by ways that there are, with heads that divide among them. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const told = (...lines: readonly string[]): readonly string[] => {
  const model = ["num_attention_heads: 8", "tensor_model_parallel_size: 2", "context_parallel_size: 2", ...lines];
  const text = `model:\n  num_layers: 4\n${model.map((line) => `  ${line}\n`).join("")}`;
  return checkForeign([{ path: "bridge.yaml", text }], { world: 8, gpusPerNode: 8, gpu: "h100" }, () => undefined)
    .diagnostics.filter(({ code }) => code === "cdr/bridge-context-comm")
    .map(({ message }) => message);
};

it("names a way that there is not", () => {
  expect(told("cp_comm_type: ring")).toEqual([expect.stringMatching(/\bring\b.*cp_comm_type/)]);
  expect(told("cp_comm_type: all_gather")).toEqual([]);
});

it("divides heads and query groups where heads are exchanged", () => {
  const groups = "cp_comm_type a2a: 1 query groups of a rank cannot be divided evenly among 2 context-parallel ranks";
  expect(told("cp_comm_type: a2a", "num_query_groups: 2")).toEqual([groups]);
  expect(told("cp_comm_type: a2a", "num_query_groups: 4")).toEqual([]);
  expect(told("cp_comm_type: p2p", "num_query_groups: 2")).toEqual([]);
  expect(told("cp_comm_type: a2a", "num_query_groups: 2", "multi_latent_attention: true")).toEqual([]);
});
