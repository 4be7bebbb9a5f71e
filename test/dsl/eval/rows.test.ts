/** Rows of tables and branches: every one of them is judged, whichever is taken. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";

const judged = (stage: string, top = ""): readonly string[] => {
  const text = `enum S { a, b }
param s: S = a
${top}
model m { family = llama, d_model = 64, layers = 2, heads = 2, context = 1Ki tokens, vocab = 1000 }
data corpus { source web { from = "hf://a/b" } }
stage t {
  model = m
  data = corpus
  length = 10 steps
  batch = 16 samples
  ${stage.includes("optimizer =") ? "" : "optimizer = adamw(lr = 1e-3)"}
  ${stage}
}`;
  const { diagnostics } = compile(
    { path: "main.cdr", text },
    {
      on: null,
      target: null,
      preset: null,
      overlays: [],
      overlayFiles: [],
      sets: [],
      read: () => undefined,
      environment: () => undefined,
      host: () => undefined,
    },
  );
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, span, fixes }) => {
      const fix = fixes[0] === undefined ? "" : ` | ${fixes[0].title}`;
      return `${code} at ${span.source.text.slice(span.start, span.end)}${fix}`;
    });
};

it.each([
  [
    "layout = match s { a => { zero_stge >= 1 }, b => none }",
    "cdr/property-unknown at zero_stge | write `zero_stage`",
  ],
  [
    "layout = match s { a => { zero_stge = 1 }, b => none }",
    "cdr/property-unknown at zero_stge | write `zero_stage`",
  ],
  ["checkpoint = if s == a then { every >= 10 steps } else none", "cdr/bound-misplaced at every"],
])("a record that gives a group is judged by its keys: %s", (stage, said) => {
  expect(judged(stage)).toEqual([said]);
});

it("bounds of a record bound the group", () => {
  expect(judged("layout = if s == a then { zero_stage <= 1 } else none")).toEqual([]);
  expect(judged("layout = if s == a then { zero_stage <= 9 } else none")).toEqual(["cdr/value-range at 9"]);
});
