/** TOML as `tomllib` reads it: values, tables, and what it refuses. */
import { describe, expect, it } from "vitest";
import type { Located } from "../../../compiler/foreign/documents/located.ts";
import { textOf } from "../../../compiler/foreign/shell/text.ts";
import { readToml } from "../../../compiler/foreign/documents/toml.ts";

const read = (text: string): ReturnType<typeof readToml> => readToml(textOf({ path: "c.toml", text }));

function plain(node: Located | undefined): unknown {
  if (node === undefined || node.kind === "unknown") return undefined;
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

describe("values", () => {
  it.each([
    ["a = 1_000\nb = -0.5e3\nc = 0x1F\nd = true\n", { a: 1000, b: -500, c: 31, d: true }],
    ["a = \"x\\ty\\u00e9\" # z\nb = 'C:\\n'\n", { a: "x\tyé", b: "C:\\n" }],
    ["a = \"\"\"\none\\\n  two\"\"\"\nb = '''x'y'''\n", { a: "onetwo", b: "x'y" }],
    ["a = [1, # one\n  [2],\n]\nb = { c = 1, d.e = 'x' }\n", { a: [1, [2]], b: { c: 1, d: { e: "x" } } }],
    ["a.b = 1\n[a.c]\nd = 2026-01-01\ne = inf\n", { a: { b: 1, c: { d: "2026-01-01", e: "inf" } } }],
    ["[a.c]\nd = 1\n[a]\ne = 2\n", { a: { c: { d: 1 }, e: 2 } }],
    ["[[s]]\nn = 1\n[s.t]\nu = 2\n[[s]]\nn = 3\n", { s: [{ n: 1, t: { u: 2 } }, { n: 3 }] }],
  ])("%j", (text, value) => {
    const { root, diagnostics } = read(text);
    expect(diagnostics).toEqual([]);
    expect(plain(root)).toEqual(value);
  });

  it("stand where they were written", () => {
    const { root } = read("[a]\nlr = 3e-4\n");
    const section = root?.kind === "map" ? root.entries[0]?.value : undefined;
    const entry = section?.kind === "map" ? section.entries[0] : undefined;
    expect([entry?.keySpan.start, entry?.value.span.start, entry?.value.span.end]).toEqual([4, 9, 13]);
  });
});

describe("what it refuses", () => {
  it.each([
    ["a = adamw\n", "unexpected character", 4],
    ["a = 1\na = 2\n", "defining a key multiple times is invalid", 6],
    ["[a]\nb = 1\n[a]\n", "defining a key multiple times is invalid", 11],
    ["a.b = 1\n[a]\nc = 2\n", "defining a key multiple times is invalid", 9],
    ['a = "x\n', "unterminated string constant", 6],
    ["a = [1 2]\n", "expected comma (,) token", 7],
    ["[a\nb = 1\n", "the key, equals sign, and value must be on the same line", 3],
    ["a 1\n", "expected equal (=) token", 2],
    ["a = 01\n", "leading zeros are not allowed", 4],
    ["a = 1 b = 2\n", "must be a newline", 6],
  ])("%j", (text, what, start) => {
    const { root, diagnostics } = read(text);
    expect(root).toBeUndefined();
    expect(diagnostics.map((each) => [each.message, each.span.start])).toEqual([
      [`this is not TOML: ${what}`, start],
    ]);
  });

  it("says that brackets within each other go too deep", () => {
    const { diagnostics } = read(`a = ${"[".repeat(5000)}${"]".repeat(5000)}\n`);
    expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/foreign-depth"]);
  });
});
