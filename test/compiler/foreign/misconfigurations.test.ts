/** Failures that people reported, as their files had them: found, for the right reason, on the right line. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toldAt, type Expected } from "../../support/misconfigurations.ts";

const root = join(import.meta.dirname, "../../fixtures/misconfigurations");
const index = JSON.parse(readFileSync(join(root, "index.json"), "utf8")) as Readonly<Record<string, Expected>>;

it.each(Object.entries(index))("%s", (id, expected) => {
  const said = toldAt(join(root, id), expected);
  expect(said.filter((each) => each.startsWith(expected.code) && each.endsWith(` ${expected.at}`))).not.toEqual([]);
});

it("has files for every entry, and an entry for all files", () => {
  const folders = readdirSync(root, { withFileTypes: true }).filter((each) => each.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(index).sort());
});
