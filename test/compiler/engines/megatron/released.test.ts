/** What the planner is free to choose, the release that a stage names can be told. */
import { expect, it } from "vitest";
import { launchOf, type Launch } from "../../../../compiler/engines/megatron/lower/launch.ts";
import { knownVersions } from "../../../../compiler/engines/megatron/table.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { Bound, Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

const bound = (said: Partial<Bound>): Bound => ({ min: null, max: null, oneOf: null, spans: [span], ...said });

interface Open {
  readonly layers: number;
  readonly width: number;
  readonly bounds: Readonly<Record<string, Bound>>;
  readonly pins?: Readonly<Record<string, Scalar>>;
}

const stages = { pipeline_parallel: bound({ min: 2 }) };
const chunks = { ...stages, virtual_pipeline: bound({ max: 8 }) };

/** Layers that no, some and every number of stages divides; models that small and large numbers of stages hold. */
const cases: readonly Open[] = [16, 18, 22, 30].flatMap((layers) =>
  [1024, 8192].flatMap((width): readonly Open[] => [
    { layers, width, bounds: chunks },
    { layers, width, bounds: stages, pins: { tensor_parallel: 1 } },
    {
      layers,
      width,
      bounds: { ...stages, offload: bound({ oneOf: ["none", "optimizer", "activations"] }) },
      pins: { tensor_parallel: 1 },
    },
  ]),
);

function lowered({ layers, width, bounds, pins = {} }: Open, version: string): Launch | null {
  const megatron: StageStep["megatron"] = { version: given(version), root: null, program: null, python: null };
  const step = stage(modelRequest("llama", { layers, d_model: width, heads: 16, context: 2048 }), {
    engine: given("megatron"),
    megatron,
    sequence: given(2048),
    batch: given({ unit: "samples", value: 96 } as const),
    layout: { given: settings(pins), bounds: new Map(Object.entries(bounds)) },
  });
  const on = cluster({ nodes: 3, gpusPerNode: 8, ram: 2 ** 42 });
  const [planned] = plan(pipeline(step, on)).plan.stages;
  return planned === undefined ? null : launchOf({ stage: step, plan: planned, cluster: on });
}

const said = (launch: Launch | null): string =>
  (launch?.arguments ?? []).map(({ words }) => words.join(" ")).join(" ");

it.each(knownVersions)("%s has a word for every layout that is chosen for it", (version) => {
  const launches = cases.map((open) => lowered(open, version));
  expect(launches.flatMap((launch) => (launch?.late ?? []).map(({ dest }) => dest))).toEqual([]);
  expect(launches.filter((launch) => launch !== null).length).toBeGreaterThan(cases.length / 2);
});

it("a release without a word for uneven stages gets even ones where the newest gets others", () => {
  const newest = cases.filter((open) =>
    /--decoder-first|--account-for/.test(said(lowered(open, knownVersions[0] ?? ""))),
  );
  expect(newest.length).toBeGreaterThan(0);
  const oldest = newest.map((open) => said(lowered(open, knownVersions.at(-1) ?? "")));
  expect(oldest.filter((words) => /--decoder-first|--account-for/.test(words))).toEqual([]);
});
