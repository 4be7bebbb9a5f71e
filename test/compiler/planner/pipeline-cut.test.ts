import * as fc from "fast-check";
import { expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { pipelineCut } from "../../../compiler/planner/pipeline-cut.ts";
import type { Settings } from "../../../compiler/pipeline.ts";
import { settings } from "../../support/pipeline.ts";
import type { Setting } from "../../../compiler/planner/setting.ts";
import { chunksOf, isCut } from "../../../compiler/planner/splits.ts";

it("shares all layers out, each stage in equal chunks, and none of them empty unless a table stands in it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 8 }),
      (layers, stages, chunks) => {
        const cut = pipelineCut({ layers }, stages, chunks);
        if (cut === null) return;
        const tables = cut.kind === "tables" ? cut.embedding + cut.loss : 0;
        if (cut.kind === "ends") {
          expect(cut.first + cut.last + cut.middle * (stages - 2)).toBe(layers);
          expect(Math.min(cut.first, cut.last)).toBeGreaterThan(0);
          expect(chunks).toBe(1);
        } else if (cut.kind === "pieces") {
          expect(cut.pieces).toHaveLength(stages * chunks);
          expect(cut.pieces.reduce((sum, each) => sum + each, 0)).toBe(layers);
          expect(Math.min(...cut.pieces.slice(1, -1))).toBeGreaterThan(0);
          expect(Math.max(...cut.pieces) - Math.min(...cut.pieces.slice(1, -1))).toBeLessThan(2);
        } else expect((layers + tables) % (stages * chunks)).toBe(0);
      },
    ),
  );
});

it.each([
  [126, 16, 8, { kind: "tables", embedding: 1, loss: 1 }],
  [35, 4, 1, { kind: "tables", embedding: 0, loss: 1 }],
  [61, 16, 1, { kind: "ends", first: 3, middle: 4, last: 2 }],
  [13, 2, 1, { kind: "tables", embedding: 0, loss: 1 }],
  [32, 8, 4, { kind: "even" }],
  [61, 16, 2, { kind: "pieces", pieces: [0, ...Array.from({ length: 30 }, () => 2), 1] }],
  [
    126,
    40,
    1,
    { kind: "pieces", pieces: [2, ...Array.from({ length: 31 }, () => 3), ...Array.from({ length: 7 }, () => 4), 3] },
  ],
  [
    32,
    8,
    3,
    { kind: "pieces", pieces: [...Array.from({ length: 15 }, () => 1), ...Array.from({ length: 8 }, () => 2), 1] },
  ],
  [3, 4, 1, null],
  [7, 4, 3, null],
] as const)("%d layers on %d stages of %d chunks", (layers, stages, chunks, cut) => {
  expect(pipelineCut({ layers }, stages, chunks)).toEqual(cut);
});

it("cuts a pattern of layers of several kinds evenly and in one chunk", () => {
  expect(pipelineCut({ layers: 12, pattern: "M*M*M*M*M*M*" }, 5, 1)).toBeNull();
  expect(pipelineCut({ layers: 12, pattern: "M*M*M*M*M*M*" }, 2, 2)).toBeNull();
  expect(pipelineCut({ layers: 12, pattern: "M*M*M*M*M*M*" }, 4, 1)).toEqual({ kind: "even" });
});

const namedChunks = (virtual_pipeline: number): Settings => ({
  given: settings({ virtual_pipeline }),
  bounds: new Map(),
});

it("finds every number of chunks that equal ones have, and the number that is named", () => {
  const layout = { given: new Map(), bounds: new Map() };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 80 }), (layers, stages) => {
      const setting = { model: { layers }, engine: engines.megatron } as Setting;
      const most = stages === 1 ? 1 : layers + 2;
      const all = Array.from({ length: most }, (_, at) => at + 1).filter((n) => isCut(setting, stages, n));
      const named = all.filter((n) => chunksOf(setting, namedChunks(n), stages).includes(n));
      expect(named).toEqual(all);
      const isEqual = (n: number): boolean =>
        n === 1 || [0, 1, 2].some((more) => (layers + more) % (stages * n) === 0);
      expect(chunksOf(setting, layout, stages)).toEqual(all.filter(isEqual));
    }),
  );
});
