/** Models as their configurations say, none of which the families were written from alone: what transformers builds of each is the oracle. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtBy } from "../../../compiler/models/build.ts";
import { families } from "../../../compiler/models/index.ts";
import { trainableOf } from "../../../compiler/models/measure.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../../compiler/pipeline.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython } from "../../support/python.ts";
import { inTransformers } from "../../support/transformers.ts";

interface Row {
  readonly name: string;
  readonly family: FamilyName;
  readonly values: Readonly<Record<string, Scalar>>;
  /** What its checkpoint holds, where that was published. */
  readonly total?: number;
}

const rows = readFileSync(join(import.meta.dirname, "../../fixtures/published-shapes.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

const sized = rows.map((row) => ({ row, ...size(modelRequest(row.family, row.values)) }));

describe("published models", () => {
  it("are refused by nothing", () => {
    expect(sized.flatMap(({ row, diagnostics }) => diagnostics.map((d) => `${row.name}: ${d.message}`))).toEqual([]);
    expect(rows.length).toBeGreaterThan(80);
  });

  it("have the counts of their checkpoints", () => {
    const wrong = sized.flatMap(({ row: { name, total }, model }) =>
      total === undefined || total === model?.parameters.total ? [] : [[name, total, model?.parameters.total]],
    );
    expect(wrong).toEqual([]);
  });

  it.runIf(hasPython)(
    "have as many parameters as the classes that the trainer builds",
    () => {
      const cases = sized.flatMap(({ row, model }) => {
        const family = families[row.family];
        return model === null ? [] : [{ name: row.name, family, model, build: builtBy(family, model) }];
      });
      const theirs = inTransformers(cases);
      const wrong = cases.flatMap(({ name, family, model }, i) => {
        const ours = trainableOf(family, model);
        return theirs[i] === ours ? [] : [`${name}: ${String(theirs[i])}, not ${ours}`];
      });
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});
