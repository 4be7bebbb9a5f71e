/** What only older releases refuse is refused of a stage that names one, and the plan keeps to layouts that it takes. */
import { expect, it } from "vitest";
import { launchOf, wordsOfLaunch } from "../../../../compiler/engines/megatron/lower/launch.ts";
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

const launched = (version: string, layers: number, layout: string): readonly string[] => {
  const named = text(version, `layout { ${layout} }`).replace("vocab = 32_000", `layers = ${layers}, vocab = 32_000`);
  const { pipeline, plan } = compileText(named);
  const step = pipeline.steps.find((each) => each.kind === "stage");
  const [stage] = plan.stages;
  const on = pipeline.launch?.cluster;
  if (step === undefined || stage === undefined || on === undefined) throw new Error("nothing was planned");
  const words = wordsOfLaunch(launchOf({ stage: step, plan: stage, cluster: on })).map(
    ({ text: word }) => word ?? "",
  );
  return words.flatMap((word, at) =>
    /^--(decoder-|pipeline-model-parallel-layout|num-virtual)/.test(word) ? [`${word} ${words[at + 1]}`] : [],
  );
};

it.each([
  [
    "0.12",
    42,
    "pipeline_parallel = 16",
    ["--decoder-first-pipeline-num-layers 7", "--decoder-last-pipeline-num-layers 7"],
  ],
  ["0.13", 42, "pipeline_parallel = 16", ["--pipeline-model-parallel-layout Et|(tt|)*3(ttt|)*11ttL"]],
  ["0.13", 61, "pipeline_parallel = 16, virtual_pipeline = 2", ["--pipeline-model-parallel-layout E|(tt|)*30tL"]],
])("says in Megatron %s how %d layers are cut: %s", (version, layers, layout, flags) => {
  expect(launched(version, layers, layout)).toEqual(flags);
});

it("tells that a release has no words for chunks of a stage that differ", () => {
  expect(errors("0.12", "layout { pipeline_parallel = 16, virtual_pipeline = 2 }")).toEqual([]);
  expect(errors("0.12", "layout { pipeline_parallel = 8, virtual_pipeline = 3 }")).toEqual(["cdr/engine-late at 3"]);
});
