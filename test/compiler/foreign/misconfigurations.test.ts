/** Failures that people reported, as their files had them: found, for the right reason, on the right line. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { positionAt } from "../../../dsl/source/source.ts";

interface Expected {
  /** The diagnostic's code, or how it begins. */
  readonly code: string;
  /** `file:line` */
  readonly at: string;
  readonly world?: number;
  readonly gpu?: string;
}

const root = join(import.meta.dirname, "../../fixtures/misconfigurations");
const index = JSON.parse(readFileSync(join(root, "index.json"), "utf8")) as Readonly<Record<string, Expected>>;

it.each(Object.entries(index))("%s", (id, { code, at, world, gpu }) => {
  const files = readdirSync(join(root, id)).map((path) => ({
    path,
    text: readFileSync(join(root, id, path), "utf8"),
  }));
  const supplied = { world: world ?? null, gpusPerNode: null, gpu: gpu ?? null };
  const { diagnostics } = checkForeign(files, supplied, () => undefined);
  const said = diagnostics
    .filter(({ code: each }) => each !== "cdr/foreign-unknown")
    .map(({ code: each, span }) => `${each} ${span.source.path}:${positionAt(span.source, span.start).line + 1}`);
  expect(said.filter((each) => each.startsWith(code) && each.endsWith(` ${at}`))).not.toEqual([]);
});

it("has files for every entry, and an entry for all files", () => {
  const folders = readdirSync(root, { withFileTypes: true }).filter((each) => each.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(index).sort());
});
