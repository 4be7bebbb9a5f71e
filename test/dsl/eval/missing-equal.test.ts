/** A property that lost its `=`, or that is written as a block: one message, and what is meant. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const file = (line: string): string => `data d { from = "c/*.txt", tokenizer = bytes, tokens = 1B tokens }
model m { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }
param large: Bool = true
stage s {
  model = m
  data = d
  length = 10 steps
  ${line}
}
`;

it.each([
  ["when large\n  optimizer = adamw(lr = 1e-3)", "when = large\n  optimizer = adamw(lr = 1e-3)"],
  ["when large == true\n  optimizer = adamw(lr = 1e-3)", "when = large == true\n  optimizer = adamw(lr = 1e-3)"],
  ["optimizer { lr = 1e-3 }", "optimizer = adamw(lr = 1e-3)"],
  ["optimizer {\n    lr = 1e-3\n    weight_decay = 0.1\n  }", "optimizer = adamw(lr = 1e-3\n    weight_decay = 0.1)"],
])("%s", (written, meant) => {
  const text = file(written);
  const judge = (each: string) =>
    compile({ path: "main.cdr", text: each }, alone).diagnostics.filter(({ severity }) => severity === "error");
  const [only, ...more] = judge(text);
  expect(more).toEqual([]);
  const [edit] = only?.fixes[0]?.edits ?? [];
  const mended = `${text.slice(0, edit?.span.start)}${edit?.newText}${text.slice(edit?.span.end)}`;
  expect(mended).toBe(file(meant));
  expect(judge(mended)).toEqual([]);
});

it("what no choice takes has no edit", () => {
  const { diagnostics } = compile({ path: "main.cdr", text: file("optimizer { nosuch = 1 }") }, alone);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors).toHaveLength(1);
  expect(errors[0]?.fixes).toEqual([]);
  expect(errors[0]?.valid).toContain("adamw");
});
