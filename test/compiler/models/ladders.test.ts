import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cases, compare, table } from "../../support/ladders.ts";

const page = join(import.meta.dirname, "../../../docs/models.md");
const marks = ["<!-- ladders -->\n", "\n<!-- /ladders -->"] as const;

it.each(cases.map((one) => [one.name, one] as const))("%s: the sizer's shape looks like the experts'", (_, one) => {
  const { target, theirs, ours } = compare(one);
  expect(Math.abs(ours.parameters[one.which ?? "total"] / target - 1)).toBeLessThanOrEqual(0.01);
  const near = ["layers", "d_model"] as const;
  const isNear = near.every((name) => Math.abs(Math.log(ours[name] / Number(theirs[name]))) < Math.log(1.25));
  expect(isNear).toBe(one.odd === undefined);
});

/** Counts of the published models, by the ladder's names: of mixtures the active parameters. */
it.each([
  ["DeepSeek-V3", 37_552_297_472],
  ["DeepSeek-V2", 21_375_800_320],
  ["DeepSeek-V2-Lite", 2_661_150_208],
  ["Falcon 180B", 178_557_088_768],
])("%s is the published model", (name, count) => {
  const found = cases.find((one) => one.name === name) ?? expect.fail(`the ladders have no ${name}`);
  expect(compare(found).target).toBe(count);
});

it("docs/models.md shows the table as it comes out", () => {
  const text = readFileSync(page, "utf8");
  const [before = "", rest = ""] = text.split(marks[0]);
  const [, after = ""] = rest.split(marks[1]);
  const made = `${before}${marks[0]}\n${table()}\n${marks[1]}${after}`;
  if (process.env["UPDATE"] === "1") writeFileSync(page, made);
  const plain = (one: string): string => one.replace(/-{2,}/g, "-").replace(/ +/g, " ");
  expect(plain(text)).toBe(plain(made));
});
