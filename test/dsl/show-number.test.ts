/** How messages write numbers. */
import { expect, it } from "vitest";
import { number, showNumber } from "../../dsl/types/value.ts";

it.each([
  [0.00003, "3e-5"],
  [6e-4, "6e-4"],
  [-2.5e-7, "-2.5e-7"],
  [1e-3, "0.001"],
  [0, "0"],
  [32_000, "32_000"],
])("%d is %s", (value, written) => {
  expect(showNumber(number(value))).toBe(written);
});

it("a share stays one, however small", () => {
  expect(showNumber(number(0.000005, {}, true))).toBe("0.0005%");
});
