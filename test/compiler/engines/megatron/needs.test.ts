/** What no rule decides without the job's Transformer Engine becomes a version that the job checks. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bases } from "../../../../compiler/engines/megatron/bases.ts";
import { parseCommandLine } from "../../../../compiler/engines/megatron/command-line.ts";
import { judge } from "../../../../compiler/engines/megatron/judge.ts";
import { deviceOf } from "../../../../compiler/engines/megatron/stage/device.ts";
import { needsOf, steps } from "../../../../compiler/engines/megatron/stage/needs.ts";
import { argumentTable } from "../../../../compiler/engines/megatron/table.ts";
import { unknown } from "../../../../compiler/engines/megatron/unknown.ts";
import { wordsOf } from "../../../../compiler/engines/word.ts";

const table = argumentTable("gpt");
const launch = (more: string) => parseCommandLine(wordsOf("a", `${bases.gpt} ${more}`.trim().split(" ")), table);
const surroundings = {
  entry: "gpt",
  world: 8,
  env: { CUDA_DEVICE_MAX_CONNECTIONS: "1" },
  envOpen: false,
  architecture: 9,
  transformerEngine: unknown,
} as const;

it.each([
  ["--qk-clip", "2.9"],
  ["--fp4-format e2m1", "2.7"],
  ["--context-parallel-size 4 --cp-comm-type a2a+p2p --hierarchical-context-parallel-sizes 2 2", "1.12"],
  ["--tensor-parallel-num-weight-shards 2", "2.19"],
])("%s needs %s", (more, version) => {
  const line = launch(more);
  const [need] = needsOf(line, table, surroundings);
  expect(need).toMatchObject({ package: "transformer-engine", at_least: version });
  const errors = (transformerEngine: string) =>
    judge(line, table, { ...surroundings, transformerEngine }).findings.filter(
      ({ message }) => message === need?.because,
    );
  expect(errors(version)).toEqual([]);
  expect(errors("1.11")).not.toEqual([]);
});

it("knows every version that a rule names", () => {
  const folder = join(import.meta.dirname, "../../../../compiler/engines/megatron/rules");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const named = files.flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/\bte\("(\d+\.\d+)/g)].map(([, version]) => version),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((version) => !steps.includes(version ?? ""))).toEqual([]);
});

it.each([
  ["--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep --num-experts 8", "deep-ep"],
  ["--optimizer muon", "emerging-optimizers"],
  ["--enable-msc", "multi-storage-client"],
])("%s needs %s, at any version", (more, name) => {
  const found = needsOf(launch(more), table, surroundings).filter((need) => need.package === name);
  expect(found.map(({ at_least }) => at_least)).toEqual([null]);
  expect(needsOf(launch(""), table, surroundings).map((need) => need.package)).not.toContain(name);
});

it.each([
  ["--fp8-format hybrid", 9, 8.9],
  ["--num-experts 8 --moe-grouped-gemm", 9, 8],
  ["--tensor-model-parallel-size 2", 10, null],
])("%s on %s needs the capability %s", (more, architecture, capability) => {
  const found = deviceOf(launch(more), table, { ...surroundings, architecture, transformerEngine: "2.18.0" });
  expect(found?.capability ?? null).toBe(capability);
});

it("asks for nothing where every version does", () => {
  expect(needsOf(launch(""), table, surroundings).map(({ at_least }) => Number(at_least) < 2)).not.toContain(false);
});

it.each([
  ["--transformer-impl local", true],
  ["--transformer-impl local --no-persist-layer-norm", false],
  ["--transformer-impl local --no-persist-layer-norm --tensor-model-parallel-size 2 --sequence-parallel", true],
  ["--transformer-impl local --normalization RMSNorm", false],
  ["--transformer-impl transformer_engine", false],
])("%s asks for Apex: %s", (more, isAsked) => {
  const packages = needsOf(launch(more), table, surroundings).map((need) => need.package);
  expect(packages.includes("apex")).toBe(isAsked);
});
