import { expect, it } from "vitest";
import { cronFault } from "../../compiler/passes/operations/cron-faults.ts";

it.each([
  ["0 0 31 2 *", "none of its months has a day 31"],
  ["0 0 30,31 feb *", "none of its months has a day 30"],
  ["0 0 31 4,6,9,11 *", "none of its months has a day 31"],
  ["0 0 31 2-11/9 *", "none of its months has a day 31"],
  ["0 0 31 2/4 *", null],
  ["0 0 29 2 *", null],
  ["0 0 31 2 mon", null],
  ["0 0 */2 2 *", null],
  ["0 0 31 * *", null],
  ["5-1 0 * * *", "`5-1` ends before it begins"],
  ["0 0 * dec-jan *", "`dec-jan` ends before it begins"],
  ["0 0 * * sun-sat", null],
  ["*/15 9-17 * * 1-5", null],
])("%s comes, or says why not", (text, why) => {
  expect(cronFault(text)).toBe(why);
});
