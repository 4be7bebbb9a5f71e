import { knownLater } from "../../diagnostics/catalog/phases.ts";
import { assertFailed, assertUncertain } from "../../diagnostics/catalog/settings.ts";
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Assert } from "../../syntax/ast.ts";
import { show, type Value } from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";
import { reactionOf } from "./reaction.ts";
import { sidesOf } from "./sides.ts";

export interface Verdict {
  /** `likely` and `unlikely` follow from an estimate; `unknown` is known only later, or a mistake that was reported. */
  readonly outcome: "passed" | "likely" | "unlikely" | "failed" | "unknown";
  /** The condition as written. */
  readonly text: string;
  /** Both sides of a comparison as they are, where that says more than the text. */
  readonly values: string;
}

/** What becomes of an `assert`; a condition that is no condition is reported, and an `else` that says nothing. */
export function verdictOf(node: Assert, scope: Scope, context: Context): Verdict {
  const { condition } = node;
  reactionOf(node, scope, context);
  const text = textOf(node.condition).replace(/\s+/g, " ");
  const { value } = context.evaluate(condition, scope, null, "the condition");
  if (value.kind === "unknown" && value.phase !== undefined)
    context.report(knownLater(condition.span, { what: "an assertion", phase: value.phase }));
  if (value.kind === "unknown" && value.lacks !== undefined) context.report(value.lacks(condition.span, text));
  if (value.kind === "unknown" || value.kind === "formula") return { outcome: "unknown", text, values: "" };
  if (value.kind !== "bool") {
    const slots = { what: "an assertion", expected: "true or false", found: show(value) };
    context.report(typeMismatch(condition.span, slots));
    return { outcome: "unknown", text, values: "" };
  }
  const sides = condition.kind === "binary" ? sidesOf(condition, scope, "", context).map((side) => side.value) : [];
  const values = sides.map(showSide).join(condition.kind === "binary" ? ` ${condition.op} ` : "");
  const sure = value.value ? "passed" : "failed";
  const outcome = value.likely === true ? (value.value ? "likely" : "unlikely") : sure;
  return { outcome, text, values: values === text ? "" : values };
}

/** Judges an `assert`. A condition that is known only later is passed over. */
export function judge(node: Assert, scope: Scope, context: Context): void {
  const { outcome, text, values } = verdictOf(node, scope, context);
  if (outcome === "unknown" || outcome === "passed") return;
  const reaction = reactionOf(node, scope, context);
  const why = reaction.kind === "error" ? reaction.why : null;
  const condition = why === null ? text : `${why}: ${text}`;
  const at = node.condition.span;
  context.report(
    outcome === "failed"
      ? assertFailed(at, { condition, values }, { severity: reaction.kind })
      : assertUncertain(at, { condition, values }),
  );
}

/** An estimate with its interval. */
function showSide(value: Value): string {
  if (value.kind !== "number" || value.interval === undefined) return show(value);
  const { interval, ...middle } = value;
  const [low, high] = interval.map((end) => show({ ...middle, value: end }));
  return `${show(middle)} (between ${low} and ${high})`;
}

const textOf = (node: Assert["condition"]): string => node.span.source.text.slice(node.span.start, node.span.end);
