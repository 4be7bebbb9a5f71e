/** `join` takes what `"${ }"` makes a text of; arguments in the other order are told as that. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { alone } from "../../support/alone.ts";

const told = (line: string): readonly Diagnostic[] =>
  compile(
    { path: "a.cdr", text: `enum Scale { "1b", moe }\nparam scale: Scale = moe\nsecret key = env("K")\n${line}\n` },
    alone,
  ).diagnostics.filter(({ severity }) => severity === "error");

it.each([
  ['join(["scale", scale], "-")', "scale-moe"],
  ['join([1, 2.5, 3 h], " ")', "1 2.5 3 h"],
  ['join([true, "x"], "")', "truex"],
  ['join("x", "-")', "x"],
])("%s", (call, text) => expect(told(`let j = ${call}\nassert j == "${text}"`)).toEqual([]));

it.each([
  ['join([["a"]], "-")', "cdr/type-mismatch"],
  ['join([none], "-")', "cdr/type-mismatch"],
  ['join(["a"], 3)', "cdr/type-mismatch"],
  ['join(["a", key], "-")', "cdr/secret-misused"],
  ["len(key)", "cdr/secret-misused"],
  ['join(["a", b], "-")', "cdr/name-unknown"],
  ['join(["a", run.step], "-")', "cdr/value-later"],
])("%s is told", (call, code) => expect(told(`let j = ${call}`).map((each) => each.code)).toEqual([code]));

it.each([
  ['join("-", ["a", scale])', 'join(["a", scale], "-")'],
  ['count("a", ["a", "b"])', 'count(["a", "b"], "a")'],
])("%s is offered as %s", (call, right) => {
  const [first, ...others] = told(`let j = ${call}`);
  expect(others).toEqual([]);
  const [edit] = first?.fixes[0]?.edits ?? [];
  const { text } = edit?.span.source ?? { text: "" };
  expect(text.slice(0, edit?.span.start) + (edit?.newText ?? "") + text.slice(edit?.span.end)).toContain(right);
  expect(told(`let j = ${right}`)).toEqual([]);
});
