/** The catalog as a whole: codes are unique and explained. `test/docs.test.ts` holds each to an example that triggers it. */
import { expect, it } from "vitest";
import { allDefinitions } from "../compiler/diagnostics/index.ts";

it("gives every diagnostic a code of its own", () => {
  const codes = allDefinitions.map((d) => d.code);
  expect(new Set(codes).size).toBe(codes.length);
});

it.each(allDefinitions.map((d) => [d.code, d.explanation] as const))(
  "%s says why and what to do",
  (_, explanation) => {
    expect(explanation.length).toBeGreaterThan(20);
    expect(explanation).not.toMatch(/\bundefined\b|\bTODO\b/);
  },
);
