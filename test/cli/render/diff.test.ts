/** What a diff shows to people: what reads alike, and what each rank repeats, is left to `--json`. */
import { expect, it } from "vitest";
import { renderDiff } from "../../../cli/render/diff.ts";
import type { Difference } from "../../../compiler/diff/compare.ts";
import { noPaint } from "../../../runtime/view/paint.ts";

const plan = (path: string, before: number, after: number): Difference => ({
  path: `s: ${path}`,
  before: { value: before, origin: null },
  after: { value: after, origin: null },
});
const shown = (...rows: readonly Difference[]): string =>
  renderDiff({ values: [], plan: rows, emitted: [], measured: [] }, noPaint);

it("leaves out what reads alike and what a rank repeats, and counts it", () => {
  const text = shown(
    plan("memory.peak", 2 ** 30, 2 ** 31),
    plan("memory.ranks[0].peak", 2 ** 30, 2 ** 31),
    plan("memory.ranks[1].peak", 2 ** 30, 2 ** 29),
    plan("memory.parts.runtime", 2e7, 2e7 + 1),
    plan("total.tokens", 2_500_000_000, 2_501_000_000),
  );
  expect(text).toContain("memory.peak");
  expect(text).toContain("ranks[1]");
  expect(text).not.toMatch(/ranks\[0\]|runtime|tokens/);
  expect(text).toContain("3 more (--json has all)");
});
it("shows them where there is nothing else", () => {
  expect(shown(plan("total.tokens", 2_500_000_000, 2_501_000_000))).toContain("total.tokens");
});
it("says estimates as a plan does", () => {
  const text = shown(
    plan("total.hours", 0.5, 1.36226),
    plan("time.mfu", 0.20613, 0.4),
    plan("time.tokens_per_second", 4_088_970.4, 5e6),
  );
  expect(text).toContain("30 min -> 1.36 h");
  expect(text).toContain("20.6 % -> 40 %");
  expect(text).toContain("4.09M -> 5M");
});

it("says counts whole, small rates with an exponent, and no growth of a seed", () => {
  const text = shown(plan("total.tokens", 768, 1024), plan("optimizer.lr", 3e-5, 1.5e-4), plan("seed", 123_456, 8));
  expect(text).toContain("768 -> 1024");
  expect(text).toContain("3e-5 -> 1.5e-4");
  expect(text).toMatch(/123456 -> 8$/m);
});
it("says the unit of what was measured", () => {
  const measured = ["memory", "seconds"].map((path) => ({
    path,
    before: { value: 2 ** 30, origin: null },
    after: { value: 3 * 2 ** 30, origin: null },
  }));
  const text = renderDiff({ values: [], plan: [], emitted: [], measured }, noPaint);
  expect(text).toContain("1.0 GiB -> 3.0 GiB");
  expect(text).toMatch(/seconds +[\d,]+ s -> [\d,]+ s/);
});
