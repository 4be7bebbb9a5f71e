/** What a stage lowers to is what it means, and nothing that Megatron would refuse, change in silence or pass over. */
import { describe, expect, it } from "vitest";
import { parseCommandLine, parsedValues } from "../../../../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../../../../compiler/engines/megatron/complaints.ts";
import { intentsOf, wordsOfLaunch } from "../../../../compiler/engines/megatron/lower/launch.ts";
import { rules } from "../../../../compiler/engines/megatron/stage/rules.ts";
import { argumentTable, versions } from "../../../../compiler/engines/megatron/table.ts";
import { megatronCases } from "../../../support/megatron.ts";

describe.each(versions)("Megatron %s", (version) => {
  const cases = megatronCases(version);

  it("takes every family and every kind of layout", () => {
    const names = cases.map(({ name }) => name.split(", "));
    expect(new Set(names.map(([family]) => family)).size).toBe(12);
    expect(new Set(names.map(([, layout]) => layout)).size).toBe(8);
  });

  it.each(cases.map((one) => [one.name, one] as const))(
    "%s: reads back what was meant",
    (_, { step, plan, on, launch }) => {
      const line = parseCommandLine(wordsOfLaunch(launch), launch.table);
      expect(complaintsOf(line, launch.table)).toEqual([]);
      const values = parsedValues(line, launch.table);
      for (const { dest, value } of intentsOf({ stage: step, plan, cluster: on }))
        expect([dest, values[dest]]).toEqual([dest, value]);
    },
  );

  it.each(cases.map((one) => [one.name, one] as const))("%s: breaks no rule", (_, { step, plan, on }) => {
    expect(
      rules.flatMap((rule) => rule.check(step, plan, on)).map(({ code, message }) => `${code}: ${message}`),
    ).toEqual([]);
  });
});

it("knows what an older version lacks", () => {
  const [newest, older] = [argumentTable("gpt"), argumentTable("gpt", "0.19.2")];
  expect(newest.byName.has("--muon-use-syrk")).toBe(true);
  expect(older.byName.has("--muon-use-syrk")).toBe(false);
  expect(older.byName.get("--experimental-attention-variant")?.choices).not.toContain("gdn");
  expect(older.lacking.map(({ dest }) => dest)).toContain("muon_use_syrk");
});
