/** Each preset is tried on its own; what all of them share is looked through once. */
import { expect, it } from "vitest";
import { registry } from "../../compiler/kinds/index.ts";
import { check } from "../../dsl/eval/judgement/check.ts";
import { createProgram } from "../../dsl/eval/program.ts";
import { alone } from "../support/alone.ts";

it("the names of a file are not gone through for every preset", () => {
  const presets = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `preset p${n} { seed = ${n} }`);
  const source = { path: "main.cdr", text: `param seed: Int = 0\n${presets.join("\n")}\n` };
  const { loaded } = createProgram(source, registry, alone);
  const names = loaded.root.names as Map<string, unknown>;
  let walks = 0;
  const values = names.values.bind(names);
  names.values = () => {
    walks += 1;
    return values();
  };
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8])
    expect(check(createProgram(source, registry, { ...alone, preset: `p${n}` }, loaded), "values")).toEqual([]);
  expect(walks).toBeLessThanOrEqual(1);
});
