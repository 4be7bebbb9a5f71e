/** Whatever is bounded: what the sizer decides is within the bounds, and it finds a shape where writing an admitted value finds one. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Property } from "../../../compiler/models/family.ts";
import { families } from "../../../compiler/models/index.ts";
import { valueAt } from "../../../compiler/models/shape.ts";
import { admits } from "../../../compiler/passes/size/bounds.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { Bound, FamilyName, ModelRequest, Scalar } from "../../../compiler/pipeline.ts";
import type { SizedModel } from "../../../compiler/plan.ts";
import { modelRequest, sizeOf, span } from "../../support/pipeline.ts";

const names = Object.keys(families) as FamilyName[];
const bound = (rest: Partial<Bound>): Bound => ({ min: null, max: null, oneOf: null, spans: [span], ...rest });
const at = (model: SizedModel, property: Property): Scalar | undefined =>
  valueAt(model, property) as Scalar | undefined;

/** Bounds around a value that move it up, down, a little and a lot. */
const around = (value: number): readonly Bound[] =>
  [
    { min: value + 1 },
    { min: value * 2 },
    { max: value - 1 },
    { max: Math.floor(value / 2) },
    { min: Math.ceil(value * 1.3), max: Math.ceil(value * 2.2) },
    { min: Math.ceil(value * 0.4), max: Math.floor(value * 0.8) },
    { oneOf: [value / 2, value * 2].filter(Number.isInteger) },
    { oneOf: [value], min: value, max: value },
  ].map(bound);

const some = (value: number): number[] =>
  [value / 2, value * 2, value * 0.75, value * 1.5, value].filter(Number.isInteger);

/** What a family leaves open, of numbers. */
const openOf = (name: FamilyName, model: SizedModel): (readonly [Property, number])[] =>
  (["layers", "d_model", ...Object.keys(families[name].defaults)] as Property[]).flatMap((property) => {
    const value = at(model, property);
    const isOpen = families[name].fixed[property] === undefined;
    return isOpen && typeof value === "number" && Number.isInteger(value) && value > 0
      ? [[property, value] as const]
      : [];
  });

function sized(name: FamilyName, target: number, rest: Partial<ModelRequest> = {}, pins = {}) {
  return size(modelRequest(name, pins, { size: sizeOf(target), ...rest }));
}

describe.each(names)("bounds on %s", (name) => {
  const target = 2e9;
  const free = sized(name, target).model;
  if (free === null) throw new Error(`no ${name} of ${target}`);

  it("are kept, and reached wherever a written value is", () => {
    for (const [property, value] of openOf(name, free)) {
      for (const one of around(value)) {
        const { model, diagnostics } = sized(name, target, { bounds: new Map([[property, one]]) });
        const said = `${property} ${JSON.stringify(one)}: ${diagnostics.map(({ message }) => message).join("; ")}`;
        if (model !== null) {
          expect(admits(one, at(model, property) ?? 0), said).toBe(true);
          expect(Math.abs(model.parameters.total / target - 1), said).toBeLessThanOrEqual(0.01);
          continue;
        }
        expect(diagnostics.length, said).toBeGreaterThan(0);
        const written = some(value).filter((each) => admits(one, each));
        expect(
          written.filter((each) => sized(name, target, {}, { [property]: each }).model !== null),
          said,
        ).toEqual([]);
      }
    }
  });
});

describe("bounds", () => {
  const drawn = fc.record({
    name: fc.constantFrom(...names),
    target: fc.constantFrom(1e8, 7e8, 3e9, 2e10, 1.5e11),
    picks: fc.array(fc.tuple(fc.nat(60), fc.nat(7)), { minLength: 2, maxLength: 3 }),
  });

  it("are kept together, or one of them is told", () => {
    fc.assert(
      fc.property(drawn, ({ name, target, picks }) => {
        const free = sized(name, target).model;
        fc.pre(free !== null);
        const open = openOf(name, free);
        const bounds = new Map(
          picks.flatMap(([which, how]) => {
            const [property, value] = open[which % open.length] ?? ["layers", free.layers];
            const one = around(value)[how];
            return one === undefined ? [] : [[property as string, one] as const];
          }),
        );
        const { model, diagnostics } = sized(name, target, { bounds });
        if (model === null) return diagnostics.length > 0;
        return [...bounds].every(([property, one]) => admits(one, at(model, property as Property) ?? 0));
      }),
      { seed: 5, numRuns: 80 },
    );
  });

  it("hold two counts as well", () => {
    for (const [property, one] of [
      ["moe.experts", bound({ max: 32 })],
      ["moe.experts", bound({ oneOf: [48, 96] })],
      ["moe.top_k", bound({ min: 10 })],
      ["moe.d_ff", bound({ min: 1024 })],
      ["head_dim", bound({ max: 64 })],
      ["heads", bound({ oneOf: [24, 40] })],
      ["layers", bound({ min: 60 })],
      ["d_model", bound({ oneOf: [1536, 2560] })],
    ] as const) {
      const asked = { ...sizeOf(3e9), which: "active" as const, total: 30e9 } as NonNullable<ModelRequest["size"]>;
      const { model, diagnostics } = size(
        modelRequest("qwen3_moe", {}, { size: asked, bounds: new Map([[property, one]]) }),
      );
      if (model === null) expect(diagnostics, property).not.toEqual([]);
      else expect(admits(one, at(model, property) ?? 0), property).toBe(true);
    }
  });

  it.each([
    ["llama", { tied: bound({ oneOf: [true] }) }, { tied: true }],
    ["llama", { head_dim: bound({ max: 100 }) }, { head_dim: 64 }],
    ["gpt2", { head_dim: bound({ max: 40 }) }, { head_dim: 32 }],
    ["gemma", { head_dim: bound({ max: 255 }) }, { head_dim: 128 }],
    ["mixtral", { "moe.d_ff": bound({ max: 5000 }) }, {}],
  ] as const)("%s of 3B, bounded, is as people build it", (name, bounds, wanted) => {
    const { model, diagnostics } = sized(name, 3e9, { bounds: new Map(Object.entries(bounds)) });
    expect(diagnostics).toEqual([]);
    expect(model).toMatchObject(wanted);
  });

  it.each([
    ["llama", { heads: bound({ oneOf: [7] }) }, { d_model: 4096 }, / without heads in \[7\] one exists$/],
    ["qwen3", { head_dim: bound({ max: 1 }) }, {}, / without head_dim <= 1 one exists$/],
    [
      "llama",
      { tied: bound({ oneOf: [false] }), vocab: bound({ min: 4e6 }) },
      { d_model: 2048 },
      / without vocab >= 4000000 one exists$/,
    ],
  ] as const)("that leave no %s are named: %j", (name, bounds, pins, why) => {
    const { diagnostics } = sized(name, 3e9, { bounds: new Map(Object.entries(bounds)) }, pins);
    expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringMatching(why)]);
  });

  it("of a written shape move heads with their width", () => {
    const shape = { layers: 12, d_model: 768 };
    for (const name of ["gpt2", "llama", "gpt_neox"] as const) {
      const { model, diagnostics } = size(
        modelRequest(name, shape, { bounds: new Map([["head_dim", bound({ max: 32 })]]) }),
      );
      expect(diagnostics).toEqual([]);
      expect(model).toMatchObject({ heads: 24, head_dim: 32 });
    }
  });
});
