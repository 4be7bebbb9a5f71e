/** Tables of what programs refuse of their own options: each row fires on what it says, and no longer where a part of it is mended. */
import { describe, expect, it } from "vitest";
import { refusedOf, type Defaults, type Refusal } from "../../../compiler/foreign/refusals.ts";
import { axolotlDefaults, axolotlRefusals, axolotlTimes } from "../../../compiler/foreign/rules/axolotl/options.ts";
import {
  factoryDefaults,
  factoryEvaluations,
  factoryRefusals,
  factoryStreams,
} from "../../../compiler/foreign/rules/llama-factory/llama-factory.ts";
import { swiftRefusals } from "../../../compiler/foreign/rules/swift/swift.ts";
import { swiftMegatronDefaults, swiftMegatronRefusals } from "../../../compiler/foreign/rules/swift/megatron.ts";
import { trainerDefaults, trainerRefusals } from "../../../compiler/foreign/rules/trainer/together.ts";
import { trlDefaults, trlRefusals, trlTrainers } from "../../../compiler/foreign/rules/trl/trainers.ts";
import type { Scalar } from "../../../compiler/foreign/documents/located.ts";
import type { Settings, Told } from "../../../compiler/foreign/settings.ts";

const source = { path: "options.yaml", text: "" };

function told(name: string, value: Scalar, known = true): Told {
  const span = { source, start: 0, end: 0 };
  return { name, value, known, span, nameSpan: span, from: [] };
}

const settings = (values: ReadonlyMap<string, Scalar>): Settings =>
  new Map([...values].map(([name, value]) => [name, told(name, value)]));

/** A value that makes a term true, and one that makes it false; `undefined` leaves the option out. */
function sides(term: string): { readonly name: string; readonly broken?: Scalar; readonly mended?: Scalar } {
  const [, off, name = "", operator, values = ""] = /^(!?)([^=!~<]+)(!=|=|~|<)?(.*)$/.exec(term) ?? [];
  const first = values.split("|")[0] ?? "";
  if (off === "!") return { name, mended: true };
  if (operator === "=") return { name, broken: first, mended: "another" };
  if (operator === "!=") return { name, broken: "another", mended: first };
  if (operator === "~") return { name, broken: `org/${first}-7b`, mended: "org/else" };
  if (operator === "<") return { name, broken: 0.5, mended: 100 };
  return { name, broken: true, mended: false };
}

const tables: readonly (readonly [string, readonly Refusal[], Defaults])[] = [
  ["Axolotl's options", axolotlRefusals, axolotlDefaults],
  ["Axolotl's times", axolotlTimes, axolotlDefaults],
  ["LLaMA-Factory's options", factoryRefusals, factoryDefaults],
  ["LLaMA-Factory's streams", factoryStreams, factoryDefaults],
  ["LLaMA-Factory's evaluations", factoryEvaluations, factoryDefaults],
  ["the Trainer's options", trainerRefusals, trainerDefaults],
  ["ms-swift's options", swiftRefusals, {}],
  ["ms-swift's options for Megatron", swiftMegatronRefusals, swiftMegatronDefaults],
  ...trlTrainers.map(
    (name) => [`TRL's ${name}`, trlRefusals.filter(({ of }) => of.includes(name)), trlDefaults[name]] as const,
  ),
];

describe.each(tables)("%s", (_, table, defaults) => {
  it.each(table.map((row) => [row.all.join(" "), row] as const))("%s", (_, row) => {
    const parts = row.all.map(sides);
    const broken = new Map(
      parts.flatMap(({ name, broken: value }) => (value === undefined ? [] : [[name, value] as const])),
    );
    expect(refusedOf(settings(broken), [row], { defaults })).toHaveLength(1);
    for (const { name, mended } of parts) {
      const better = new Map([...broken, [name, mended ?? null]]);
      expect(refusedOf(settings(better), [row], { defaults })).toEqual([]);
    }
  });
});

describe("a row", () => {
  const row: Refusal = { all: ["streaming", "!max_steps"], by: "check" };
  const streaming = (value: Scalar, known = true): Settings =>
    new Map([["streaming", told("streaming", value, known)]]);

  it.each([true, "True", "1", "yes"])("takes %s for on", (value) => {
    expect(refusedOf(streaming(value), [row])).toMatchObject([{ message: "streaming needs max_steps" }]);
  });

  it.each([false, "False", "false", "0", "none", null, ""])("takes %s for off", (value) => {
    expect(refusedOf(streaming(value), [row])).toEqual([]);
  });

  it("waits for what is not known", () => {
    expect(refusedOf(streaming(null, false), [row])).toEqual([]);
    const unknown = new Map([...streaming(true), ["max_steps", told("max_steps", null, false)]] as const);
    expect(refusedOf(unknown, [row])).toEqual([]);
    expect(refusedOf(streaming(true), [row], { open: true })).toEqual([]);
  });

  it("takes a count below zero for none", () => {
    const none = new Map([...streaming(true), ["max_steps", told("max_steps", -1)]] as const);
    expect(refusedOf(none, [row])).toHaveLength(1);
  });

  it("asks for nothing that every object has", () => {
    const odd: Refusal = { all: ["constructor", "toString=a"], by: "check" };
    expect(refusedOf(new Map([["constructor", told("constructor", true)]]), [odd])).toEqual([]);
  });
});
