/** An alias without an anchor, which PyYAML refuses. */
import { expect, it } from "vitest";
import { readYaml } from "../../../compiler/foreign/documents/yaml.ts";
import { textOf } from "../../../compiler/foreign/shell/text.ts";

it.each(["a: *nope\n", "a: 1\n<<: *nope\n", "a: *later\nb: &later 1\n"])("%j", (text) => {
  const { diagnostics } = readYaml(textOf({ path: "a.yaml", text }));
  expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["error cdr/foreign-yaml"]);
});

it("says nothing of one that has an anchor", () => {
  expect(readYaml(textOf({ path: "a.yaml", text: "a: &it 1\nb: *it\n" })).diagnostics).toEqual([]);
});
