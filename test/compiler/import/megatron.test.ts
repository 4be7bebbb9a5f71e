/**
 * Argument sets that Megatron runs in its own tests and launches of published models, there and back: the script that starts one is
 * imported, the file is checked and lowered, and the script of its bundle is read again.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { passage, setsIn, type ArgumentSet } from "../../../bench/arguments.ts";
import { format } from "../../../dsl/format/format.ts";

const fixture = join(import.meta.dirname, "../../fixtures/launches/megatron.jsonl.gz");
const sets = setsIn(gunzipSync(readFileSync(fixture)).toString("utf8"));
const passed = new Map<ArgumentSet, ReturnType<typeof passage>>();
const passageOf = (set: ArgumentSet): ReturnType<typeof passage> => {
  const known = passed.get(set) ?? passage(set);
  passed.set(set, known);
  return known;
};
const [whole, fields] = [true, false].map((has) => sets.filter(({ argv }) => (argv !== undefined) === has));

describe("whole command lines", () => {
  it.each((whole ?? []).map((set) => [set.id, set] as const))("%s starts the same launch", (_, set) => {
    const { codes, changed, text } = passageOf(set) ?? {};
    expect(codes).toEqual([]);
    expect(changed).toEqual([]);
    expect(format({ path: "a.cdr", text: text ?? "" }).text).toBe(text);
  });
});

describe("fields that decide a layout, made whole by a plain launch", () => {
  const each = (fields ?? []).map((set) => [set.id, set] as const);

  it.each(each)("%s comes back", (_, set) => {
    const { codes = [], changed, broken = [] } = passageOf(set) ?? {};
    // What the engine's own rules refuse before anything is imported, they refuse afterwards.
    if (broken.length === 0) expect(codes).toEqual([]);
    expect(changed).toEqual([]);
  });

  it("are whole launches for the most part", () => {
    const incomplete = each.filter(([, set]) => (passageOf(set)?.broken ?? []).length > 0);
    expect(incomplete.length).toBeLessThan(each.length / 8);
  });
});
