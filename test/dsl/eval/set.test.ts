import { describe, expect, it } from "vitest";
import { program, told, valueIn } from "../../support/language.ts";

const sized = (name: string) => `param n: Int in 1..9 = 2\nthing ${name} { size = n }`;
const files = {
  "a.cdr": sized("a"),
  "b.cdr": sized("b"),
  "far.cdr": 'import "./a.cdr" { a }\nthing far { next = a }',
};
const set = (name: string, text = "7") => ({ files, sets: [{ name, text }] });
const sizeIn = (text: string, name: string, options: Parameters<typeof program>[1]) =>
  valueIn(program(text, options), name, "size");

describe("--set", () => {
  it("reaches a param of a file that is imported by another, whatever is imported by name", () => {
    const text = 'import "./far.cdr" { far }\nthing c { next = far }';
    expect(told(text, set("n"))).toEqual([]);
    expect(sizeIn(text, "a", set("n"))).toMatchObject({ value: 7 });
    expect(sizeIn(text, "a", { files })).toMatchObject({ value: 2 });
  });
  it("keeps the bounds of that param", () => {
    expect(told('import "./far.cdr" { far }', set("n", "12"))).toEqual([
      expect.stringMatching(/^cdr\/value-range 1: param `n` is 12/),
    ]);
  });
  it("refuses a name that several imported files declare, and names them", () => {
    const text = 'import "./a.cdr" { a }\nimport "./b.cdr" { b }';
    expect(told(text, set("n"))).toEqual([
      expect.stringMatching(/^cdr\/set-ambiguous 1: `--set n` is ambiguous: a\.cdr and b\.cdr .*import "…" \{ n \}/),
    ]);
    expect(sizeIn(text, "a", set("n"))).toMatchObject({ value: 2 });
  });
  it("means what the entry file knows by that name, and that alone", () => {
    const text = 'import "./a.cdr" { a, n }\nimport "./b.cdr" { b, n as other }';
    for (const [name, a, b] of [
      ["n", 7, 2],
      ["other", 2, 7],
    ] as const) {
      expect(told(text, set(name))).toEqual([]);
      expect(sizeIn(text, "a", set(name))).toMatchObject({ value: a });
      expect(sizeIn(text, "b", set(name))).toMatchObject({ value: b });
    }
  });
  it("offers every param where the name is none", () => {
    const [problem] = program('import "./far.cdr" { far }', set("m")).diagnostics;
    expect(problem).toMatchObject({ code: "cdr/set-unknown", valid: ["far.…", "n"] });
  });
  it.each(["o.size", "o.a.size", "p.n", "overlay.size", "preset.n"])(
    "refuses %s: a variant has no leaves",
    (name) => {
      const [problem, ...others] = program(
        "thing a {}\noverlay o { a.size = 1 }\npreset p {}",
        set(name),
      ).diagnostics;
      expect(problem).toMatchObject({ code: "cdr/set-unknown", valid: ["a.…"] });
      expect(others).toEqual([]);
    },
  );
  it("refuses two values for one param, whatever names reach it", () => {
    const text = 'import "./a.cdr" as lib\nthing c { next = lib.a }';
    const sets = (n: string, path: string) => ({ files, sets: [...set("n", n).sets, ...set("lib.n", path).sets] });
    expect(told(text, sets("4", "5"))).toEqual([expect.stringMatching(/^cdr\/variant-conflict .*`--set lib\.n`/)]);
    expect(told(text, sets("4", "4"))).toEqual([]);
  });
});
