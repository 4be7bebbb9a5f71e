/** The real Megatron accepts every launch that a stage lowers to, and reads in it what was meant. */
import { describe, expect, it } from "vitest";
import { intentsOf } from "../../compiler/engines/megatron/lower/launch.ts";
import { ask, megatronPython } from "../support/megatron-oracle.ts";
import { megatronCases } from "../support/megatron.ts";

const found = megatronPython();
if ("why" in found) process.stderr.write(`megatron: ${found.why}\n`);

describe.runIf("python" in found)("Megatron 0.19.2", () => {
  it("accepts every lowered launch and reads back what was meant", () => {
    const cases = megatronCases("0.19");
    const verdicts = ask("python" in found ? found.python : "", cases);
    const refused = verdicts.flatMap(({ verdict, phase, message }, at) =>
      verdict === "ok" ? [] : [`${cases[at]?.name ?? ""}: ${phase ?? ""}: ${message}`],
    );
    expect(refused).toEqual([]);
    for (const [at, { step, plan, on }] of cases.entries()) {
      const values = verdicts[at]?.values ?? {};
      for (const { dest, value } of intentsOf({ stage: step, plan, cluster: on }))
        expect([dest, values[dest]]).toEqual([dest, value]);
    }
  });
});
