/** Refusals of Megatron's that no rule's own example meets: the real one and ours refuse the same arguments. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exampleLaunch, tryExample } from "../../compiler/engines/megatron/example.ts";
import type { Base } from "../../compiler/engines/megatron/step.ts";
import { askOf, megatronPython } from "../support/megatron-oracle.ts";

const found = megatronPython();
const cases = readFileSync(join(import.meta.dirname, "../fixtures/megatron-refused.txt"), "utf8")
  .trim()
  .split("\n")
  .map((row): readonly [Base, string] => {
    const cut = row.indexOf("|");
    return [row.slice(0, cut) as Base, row.slice(cut + 1)];
  });

describe("what Megatron refuses", () => {
  it.each(cases)("is refused here: %s %s", (base, more) => {
    const { judgement } = tryExample(base, more);
    const errors = judgement.findings.filter(({ rule }) => rule.diagnostic.severity === "error");
    expect(errors.map(({ rule }) => rule.diagnostic.code)).not.toEqual([]);
  });

  it.skipIf(!("python" in found))("is refused by the installed one", { timeout: 60_000 }, () => {
    const python = "python" in found ? found.python : "";
    const verdicts = askOf(
      python,
      cases.map(([base, more]) => exampleLaunch(base, more)),
    );
    const accepted = cases.filter((_, at) => !/^(?:Assertion|Value)Error /.test(verdicts[at]?.message ?? ""));
    expect(accepted).toEqual([]);
  });
});
