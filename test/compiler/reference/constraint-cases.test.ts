/**
 * What the table of demands calls decided is decided: each of them is broken by a case of its own (a row of constraint-cases.txt or a
 * launch of constraint-launches/, a part of the demand to each) or by the example of a rule that nobody else claims, and the nearest
 * launch that keeps it breaks none.
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
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import { foreignRules } from "../../../compiler/foreign/rules/index.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";
import { allConstraints, type Constraint } from "../../../compiler/reference/constraints-page.ts";
import { compileText } from "../../support/probes.ts";
import { bridgeCases } from "./constraint-launches/bridge.ts";
import type { LaunchCase } from "./constraint-launches/case.ts";
import { deepspeedCases } from "./constraint-launches/deepspeed.ts";
import { engineCases } from "./constraint-launches/engines.ts";
import { otherCases } from "./constraint-launches/others.ts";
import { transformersCases } from "./constraint-launches/transformers.ts";

interface Case {
  readonly name: string;
  readonly base: string;
  readonly more: string;
}

const cases = readFileSync(join(import.meta.dirname, "constraint-cases.txt"), "utf8")
  .trim()
  .split("\n")
  .map((row): Case => {
    const [name = "", base = "", ...more] = row.split("|");
    return { name, base, more: more.join("|") };
  });

const launches = [...engineCases, ...deepspeedCases, ...transformersCases, ...bridgeCases, ...otherCases];
const idOf = ({ name }: { readonly name: string }): string => name.split(" ")[0] ?? "";

const decided = allConstraints.filter((each) => each.decided !== undefined);

/** Codes of what is decided, or is where an input is given. */
function codesOf(id: string): readonly string[] {
  const constraint = allConstraints.find((each) => each.id === id);
  return [...(constraint?.decided ?? []), ...(constraint?.unknown ?? [])];
}

function told({ base, more }: Case): readonly string[] {
  if (base === "deepspeed")
    return tryDeepSpeed(more === "" ? {} : (JSON.parse(more) as Example)).findings.map(
      ({ diagnostic }) => diagnostic.code,
    );
  const { complaints, judgement } = tryMegatron(base as Base, more);
  return [...complaints.map(({ code }) => code), ...judgement.findings.map(({ rule }) => rule.diagnostic.code)];
}

it.each(cases.map((each) => [`${each.name}: ${each.more}`, each] as const))("%s", (_, each) => {
  const codes = codesOf(idOf(each));
  const isOurs = (code: string): boolean => codes.includes(code);
  expect(told(each).filter(isOurs), codes.join(" or ")).not.toEqual([]);
  expect(told({ ...each, more: "" }).filter(isOurs)).toEqual([]);
});

function toldOfLaunch(files: Files, supplied: LaunchCase["supplied"]): readonly string[] {
  const source = files["main.cdr"];
  const told = source === undefined ? toldOf(files, supplied) : compileText(source).diagnostics;
  return told.map(({ code }) => code);
}

it.each(launches.map((each) => [each.name, each] as const))("%s, as a launch", (_, each) => {
  const codes = codesOf(idOf(each));
  const ours = (files: Files): readonly string[] =>
    toldOfLaunch(files, each.supplied).filter((code) => codes.includes(code));
  expect(ours(each.fires), codes.join(" or ")).not.toEqual([]);
  expect(ours(each.silent)).toEqual([]);
});

/** Codes whose rule breaks on an example of its own and is silent on its mirror image, which tests of the rules hold. */
const exemplary: ReadonlySet<string> = new Set(
  [...rules, ...demands, ...foreignRules].map(({ diagnostic }) => diagnostic.code),
);

const claims = (code: string): number => decided.filter((each) => each.decided?.includes(code)).length;

const isTried = ({ id, decided: codes = [] }: Constraint): boolean =>
  [...cases, ...launches].some((each) => idOf(each) === id) ||
  codes.some((code) => claims(code) === 1 && exemplary.has(code));

it("has a case for each", () => {
  expect(decided.filter((each) => !isTried(each)).map(({ id }) => id)).toEqual([]);
});
