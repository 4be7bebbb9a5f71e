/** What no rule decides without the job's Transformer Engine becomes a version that the job checks. */
import { expect, it } from "vitest";
import { bases } from "../../../../compiler/engines/megatron/bases.ts";
import { parseCommandLine } from "../../../../compiler/engines/megatron/command-line.ts";
import { judge } from "../../../../compiler/engines/megatron/judge.ts";
import { needsOf } from "../../../../compiler/engines/megatron/stage/needs.ts";
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
])("%s needs %s", (more, version) => {
  const line = launch(more);
  const [need] = needsOf(line, table, surroundings);
  expect(need).toMatchObject({ package: "transformer-engine", at_least: version });
  const errors = (transformerEngine: string) =>
    judge(line, table, { ...surroundings, transformerEngine }).findings.filter(
      ({ message }) => message === need?.because,
    );
  expect(errors(version)).toEqual([]);
  expect(errors("2.0")).not.toEqual([]);
});

it("asks for nothing where every version does", () => {
  expect(needsOf(launch(""), table, surroundings).map(({ at_least }) => Number(at_least) < 2)).not.toContain(false);
});
