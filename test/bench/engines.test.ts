import { expect, it } from "vitest";
import { report, table } from "../../bench/engines.ts";

it("counts a launch without a verdict neither as a miss nor as agreement, and lists it", () => {
  const row = { row: {}, ours: [], said: "" };
  const result = report([
    { ...row, id: "a", engine: "ok" },
    { ...row, id: "b", engine: "late", said: "no end after 30 s" },
    { ...row, id: "c", engine: "error", said: "refused" },
  ]);
  expect([result.rows, result.agreement, result.misses.map(({ id }) => id)]).toEqual([2, 0.5, ["c"]]);
  expect(table(result)).toContain("no verdict b: no end after 30 s\n");
});
