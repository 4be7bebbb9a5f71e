/** What PyYAML and Go's reader take although YAML 1.2 wants it further in. */
import { describe, expect, it } from "vitest";
import { at, itemsOf, scalarOf } from "../../../compiler/foreign/documents/located.ts";
import { textOf } from "../../../compiler/foreign/shell/text.ts";
import { readYaml } from "../../../compiler/foreign/documents/yaml.ts";

const read = (text: string) => {
  const { documents, diagnostics } = readYaml(textOf({ path: "a.yaml", text }));
  return { root: documents[0], told: diagnostics.map(({ message }) => message) };
};

describe("a YAML with brackets and quotes no further in than their keys", () => {
  it("is read where a mapping closes at its key, and places behind it stay those of the file", () => {
    const text = 'a:\n  b: {\n    c: "true"\n  }\n  d: {\n  e: 1,\n  }\nf: last\n';
    const { root, told } = read(text);
    expect(told).toEqual([]);
    expect(scalarOf(at(root, "a", "b", "c"))).toBe("true");
    for (const [keys, written] of [
      [["a", "d", "e"], "1"],
      [["f"], "last"],
    ] as const) {
      const node = at(root, ...keys);
      expect(String(scalarOf(node))).toBe(written);
      expect(text.slice(node?.span.start, node?.span.end)).toBe(written);
    }
  });
  it("is read where quotes go on at the beginning of a line, folded as Python folds them", () => {
    const { root, told } = read("a:\n  b: ['one\ntwo\n\nthree']\nc: \"x\ny\"\n");
    expect(told).toEqual([]);
    expect(itemsOf(at(root, "a", "b")).map(scalarOf)).toEqual(["one two\nthree"]);
    expect(scalarOf(at(root, "c"))).toBe("x y");
  });
  it("is refused, at the line that it was, where it cannot be read even so", () => {
    expect(read("a: {\nb: 1\n").told).toEqual(["this is not YAML: deficient indentation"]);
    expect(read('a: "b\n---\nc"\n').told).not.toEqual([]);
    expect(read('a: "b\nc: d\n').told).not.toEqual([]);
  });
});
