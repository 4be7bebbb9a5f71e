/** The table of what engines demand names rules that there are, and one fate for each demand. */
import { expect, it } from "vitest";
import { allDefinitions } from "../../../compiler/diagnostics/index.ts";
import { allConstraints, engineNames, reasons, shareOf } from "../../../compiler/reference/constraints-page.ts";

const codes = new Set(allDefinitions.map(({ code }) => code as string));

it("names rules that there are", () => {
  const named = allConstraints.flatMap(({ id, decided = [], unknown = [] }) =>
    [...decided, ...unknown].map((code) => [id, code] as const),
  );
  expect(named.filter(([, code]) => !codes.has(code))).toEqual([]);
});

it("gives every demand an id of its own, an engine and one fate", () => {
  const ids = allConstraints.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => engineNames[id.slice(0, 1)] === undefined)).toEqual([]);
  const fates = allConstraints.filter(
    ({ decided, unknown, preflight, changed, beyond }) =>
      [decided ?? unknown ?? preflight, changed, beyond].filter((each) => each !== undefined).length !== 1,
  );
  expect(fates).toEqual([]);
  const unexplained = allConstraints.filter(({ beyond }) => beyond !== undefined && reasons[beyond] === undefined);
  expect(unexplained).toEqual([]);
  const unspecific = allConstraints.filter(({ beyond, because = "" }) => beyond !== undefined && because.length < 25);
  expect(unspecific).toEqual([]);
});

it("decides most of them", () => {
  const decided = allConstraints.filter((each) => shareOf(each) === "decided");
  expect(decided.length / allConstraints.length).toBeGreaterThan(0.77);
});
