/**
 * What the table of demands calls decided is decided: each of them is broken by a case of its own (a row of constraint-cases.txt, a part
 * of the demand to a row) or by the example of a rule that nobody else claims, and the launch beneath the case breaks none.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demands } from "../../../compiler/engines/deepspeed/demands/index.ts";
import { tryExample as tryDeepSpeed } from "../../../compiler/engines/deepspeed/example.ts";
import type { Example } from "../../../compiler/engines/deepspeed/step.ts";
import { tryExample as tryMegatron } from "../../../compiler/engines/megatron/example.ts";
import { rules } from "../../../compiler/engines/megatron/rules/index.ts";
import type { Base } from "../../../compiler/engines/megatron/step.ts";
import { foreignRules } from "../../../compiler/foreign/rules/index.ts";
import { allConstraints, type Constraint } from "../../../compiler/reference/constraints-page.ts";

interface Case {
  readonly id: string;
  readonly name: string;
  readonly base: string;
  readonly more: string;
}

const cases = readFileSync(join(import.meta.dirname, "constraint-cases.txt"), "utf8")
  .trim()
  .split("\n")
  .map((row): Case => {
    const [name = "", base = "", ...more] = row.split("|");
    return { id: name.split(" ")[0] ?? "", name, base, more: more.join("|") };
  });

const decided = allConstraints.filter((each) => each.decided !== undefined);
const codesOf = (id: string): readonly string[] => decided.find((each) => each.id === id)?.decided ?? [];

function told({ base, more }: Case): readonly string[] {
  if (base === "deepspeed")
    return tryDeepSpeed(more === "" ? {} : (JSON.parse(more) as Example)).findings.map(
      ({ diagnostic }) => diagnostic.code,
    );
  const { complaints, judgement } = tryMegatron(base as Base, more);
  return [...complaints.map(({ code }) => code), ...judgement.findings.map(({ rule }) => rule.diagnostic.code)];
}

it.each(cases.map((each) => [`${each.name}: ${each.more}`, each] as const))("%s", (_, each) => {
  const codes = codesOf(each.id);
  const isOurs = (code: string): boolean => codes.includes(code);
  expect(told(each).filter(isOurs), codes.join(" or ")).not.toEqual([]);
  expect(told({ ...each, more: "" }).filter(isOurs)).toEqual([]);
});

/** Codes whose rule breaks on an example of its own and is silent on its mirror image, which tests of the rules hold. */
const exemplary: ReadonlySet<string> = new Set(
  [...rules, ...demands, ...foreignRules].map(({ diagnostic }) => diagnostic.code),
);

const claims = (code: string): number => decided.filter((each) => each.decided?.includes(code)).length;

const isTried = ({ id, decided: codes = [] }: Constraint): boolean =>
  cases.some((each) => each.id === id) || codes.some((code) => claims(code) === 1 && exemplary.has(code));

it("has a case for each", () => {
  expect(decided.filter((each) => !isTried(each)).map(({ id }) => id)).toEqual(untried);
});

/** A rule that several demands share, or a case of the documentation, stands for these: none of theirs is tried by itself yet. */
const untried: readonly string[] = [
  ...["M029", "M062", "M106", "M148", "M150", "M156", "M241"],
  ...["D011", "D012", "D025", "D041", "D055", "D056", "D057", "D101", "D104", "D106", "D108", "D109"],
  ...["D125", "D127", "D128", "D129", "D130", "D133", "D134", "D135", "D138", "D139"],
  ...["H002", "H003", "H011", "H012", "H020", "H022", "H028", "H029", "H030", "H031", "H032", "H036"],
  ...["H037", "H043", "H044", "H045", "H047", "H048", "H053"],
  ...["B002", "B003", "B004", "B005", "B006", "B007", "B008", "B009", "B011", "B012", "B015", "B017"],
  ...["B018", "B020", "B029"],
  ...["O013", "O016", "O022", "O023"],
];
