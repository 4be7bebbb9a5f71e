/** What only older releases refuse is refused of a stage that names one, and the plan keeps to layouts that it takes. */
import { expect, it } from "vitest";
import { compileText } from "../../../support/probes.ts";

const text = (version: string, layout: string): string => `
import "std/models" { llama3_8b }
import "std/clusters" { dgx_h100 }
model m extends llama3_8b { vocab = 32_000 }
data d { from = random(tokens = 1B tokens) }
cluster pod extends dgx_h100 { nodes = 4 }
stage s {
  model     = m
  data      = d
  engine    = megatron(version = "${version}")
  batch     = 512 samples
  length    = 10 steps
  optimizer = adamw(lr = 1e-4)
  ${layout}
}
launch l on pod { target = slurm() }
`;

const errors = (version: string, layout: string): readonly string[] =>
  compileText(text(version, layout))
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} at ${span.source.text.slice(span.start, span.end)}`);

it.each([
  ["0.12", ["cdr/megatron-groups-ranks at 16"]],
  ["0.15", ["cdr/megatron-groups-ranks at 16"]],
  ["0.16", []],
])("holds a stage of Megatron %s against that release", (version, told) => {
  expect(errors(version, "layout { tensor_parallel = 16 }")).toEqual(told);
});

it.each(["0.12", "0.20"])("chooses a layout that Megatron %s takes", (version) => {
  expect(errors(version, "")).toEqual([]);
});
