import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { registry } from "../../compiler/kinds/index.ts";
import type { BlockKind } from "../../dsl/kind.ts";
import { alternatives } from "../../dsl/types/type.ts";
import { alone } from "../support/alone.ts";

interface Case {
  readonly path: readonly string[];
  readonly isKept: boolean;
}

/** Every property and every group of a kind, and whether it holds something where nothing is written. */
function casesOf(kind: BlockKind, path: readonly string[]): readonly Case[] {
  const own = Object.entries(kind.properties)
    .filter(([, { required }]) => required !== true)
    .map(([name, { type, default: value }]) => {
      const canBeNone = alternatives(type).some((each) => each.kind === "none" || each.kind === "any");
      return { path: [...path, name], isKept: value !== undefined && !canBeNone };
    });
  const groups = Object.entries(kind.blocks ?? {}).flatMap(([name, group]) => [
    { path: [...path, name], isKept: group.kept !== undefined },
    ...casesOf(group, [...path, name]),
  ]);
  return [...own, ...groups];
}

function codesOf(kind: string, path: readonly string[], value: string): readonly string[] {
  const body = path.reduceRight((inner, name) => (inner === "" ? `${name} = ${value}` : `${name} { ${inner} }`), "");
  const { diagnostics } = compile({ path: "a.cdr", text: `/// x\n${kind} x { ${body} }\n` }, alone);
  return diagnostics.map(({ code }) => code);
}

const data = (split: string): readonly unknown[] => {
  const text = `model m { family = gpt2, layers = 2, d_model = 64, heads = 2, vocab = 257, context = 64 tokens }
data corpus { from = "x.txt"${split} }
stage s { model = m, data = corpus, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }`;
  const { pipeline } = compile({ path: "a.cdr", text }, alone);
  return (pipeline?.steps ?? []).flatMap((step) => (step.kind === "data" ? [step.config.split.val] : []));
};

describe("`= none`", () => {
  for (const kind of Object.values(registry.kinds).filter(({ variant }) => variant !== true)) {
    it(`removes what a ${kind.name} can be without, and is told of what it cannot`, () => {
      for (const { path, isKept } of casesOf(kind, [])) {
        const where = [kind.name, ...path].join(".");
        expect([where, codesOf(kind.name, path, "none").includes("cdr/property-kept")]).toEqual([where, isKept]);
        // What can be without says the word for it; of what cannot, `null` means no more than `none`.
        expect([where, codesOf(kind.name, path, "null").includes("cdr/property-kept")]).toEqual([
          where,
          isKept && where !== "stage.checkpoint.keep",
        ]);
        expect([where, codesOf(kind.name, path, "auto").includes("cdr/property-kept")]).toEqual([where, false]);
      }
    });
  }

  it.each([
    ["stage x { schedule = None }", ["stage x { }"]],
    ["stage x { seed = none, clip = 2.0 }", ["stage x { clip = 2.0 }"]],
    ["stage x { track = null }", ["stage x { track = [] }", "stage x { }"]],
    ["stage x { optimizer = adamw(lr = 1e-3, betas = nil) }", ["stage x { optimizer = adamw(lr = 1e-3, ) }"]],
    [
      "stage x { schedule = if 1 < 2 then cosine else null }",
      ["stage x { schedule = if 1 < 2 then cosine else constant }"],
    ],
    [
      "stage x { checkpoint { every = 5 steps, keep = null } }",
      ["stage x { checkpoint { every = 5 steps, keep = all } }"],
    ],
    ["stage x { clip = null }", ["stage x { clip = none }"]],
    ["stage x { model = null }", []],
    ["param n: Int = None", ["param n: Int | none = none"]],
  ])("says what is meant by none: %s", (text, meant) => {
    const codes = new Set(["cdr/property-kept", "cdr/name-unknown", "cdr/type-mismatch"]);
    const told = (file: string) =>
      compile({ path: "a.cdr", text: file }, alone).diagnostics.filter(({ code }) => codes.has(code));
    const [found, ...others] = told(text);
    expect(others).toEqual([]);
    const mended = found?.fixes.map(({ edits }) =>
      edits.reduceRight((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text),
    );
    expect(mended).toEqual(meant);
    for (const file of meant) expect(told(file)).toEqual([]);
  });

  it("holds nothing out where the split or its share is removed", () => {
    expect(data("")).toEqual([0.01]);
    expect(data(", split = auto")).toEqual([0.01]);
    expect(data(", split { seed = 1 }")).toEqual([0.01]);
    expect(data(", split = none")).toEqual([0]);
    expect(data(", split { val = none }")).toEqual([0]);
  });
});
