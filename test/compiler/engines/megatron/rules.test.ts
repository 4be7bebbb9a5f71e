/** Each rule fires on its own example and stays silent on the example's mirror image; the bases break none. */
import { describe, expect, it } from "vitest";
import { bases } from "../../../../compiler/engines/megatron/bases.ts";
import { parseCommandLine } from "../../../../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../../../../compiler/engines/megatron/complaints.ts";
import { judge } from "../../../../compiler/engines/megatron/judge.ts";
import { rules } from "../../../../compiler/engines/megatron/rules/index.ts";
import type { Base } from "../../../../compiler/engines/megatron/step.ts";
import { argumentTable } from "../../../../compiler/engines/megatron/table.ts";
import { wordsOf } from "../../../../compiler/engines/word.ts";

/** Codes that a base with `more` laid over it brings. Words such as NAME=value before the arguments are environment. */
function codes(base: Base, more: string): string[] {
  const words = more.split(/\s+/).filter((word) => word !== "");
  const variables = words.filter((word) => /^[A-Z_0-9]+=/.test(word));
  const entry = base === "hybrid" || base === "rl" ? base : "gpt";
  const table = argumentTable(entry);
  const line = parseCommandLine(
    wordsOf("example", [...bases[base].split(" "), ...words.filter((word) => !variables.includes(word))]),
    table,
  );
  const complaints = complaintsOf(line, table).filter(({ code }) => code !== "cdr/megatron-repeated");
  const { findings } = judge(line, table, {
    entry,
    world: 8,
    env: {
      CUDA_DEVICE_MAX_CONNECTIONS: "1",
      ...Object.fromEntries(variables.map((each) => [each.split("=")[0], each.split("=").slice(1).join("=")])),
    },
    envOpen: false,
    architecture: Number(variables.find((each) => each.startsWith("ARCHITECTURE="))?.slice(13) ?? 9),
    transformerEngine: variables.includes("TE=none")
      ? null
      : (variables.find((each) => each.startsWith("TE="))?.slice(3) ?? "2.18.0"),
  });
  return [...complaints, ...findings.map(({ rule }) => rule.diagnostic)].map(({ code }) => code);
}

const whole = (Object.keys(bases) as Base[]).filter((base) => !base.endsWith("less"));

it.each(whole)("%s breaks no rule", (base) => {
  expect(codes(base, "")).toEqual([]);
});

it("gives every rule a code of its own", () => {
  const all = rules.map(({ diagnostic }) => diagnostic.code);
  expect(all.filter((code, at) => all.indexOf(code) !== at)).toEqual([]);
});

describe.each(rules.map((rule) => [rule.diagnostic.code, rule] as const))("%s", (code, { base, fires, silent }) => {
  it("fires", () => {
    expect(codes(base, fires)).toContain(code);
  });
  it("stays silent on the mirror image", () => {
    expect(codes(base, silent)).not.toContain(code);
  });
});
