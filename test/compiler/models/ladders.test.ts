import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cases, compare, table } from "../../support/ladders.ts";

const page = join(import.meta.dirname, "../../../docs/models.md");
const marks = ["<!-- ladders -->\n", "\n<!-- /ladders -->"] as const;

it.each(cases.map((one) => [one.name, one] as const))("%s: the sizer's shape looks like the experts'", (_, one) => {
  const { target, theirs, ours } = compare(one);
  expect(Math.abs(ours.parameters[one.which ?? "total"] / target - 1)).toBeLessThanOrEqual(0.01);
  // Pythia 1B is as wide as the 1.4B and a third shallower, so that it fits one GPU (Biderman et al., section 2.1).
  if (one.name === "Pythia 1B") return;
  expect(Math.abs(Math.log(ours.layers / Number(theirs["layers"])))).toBeLessThan(Math.log(1.25));
  expect(Math.abs(Math.log(ours.d_model / Number(theirs["d_model"])))).toBeLessThan(Math.log(1.25));
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
