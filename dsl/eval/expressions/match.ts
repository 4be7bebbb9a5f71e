import { neverMatches, notExhaustive, wordQuoted } from "../../diagnostics/catalog/values.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import type { Expression, Match } from "../../syntax/ast.ts";
import { none, show, unknown, type Value, type Valued } from "../../types/value.ts";
import { quotedWord } from "../../types/quoted-word.ts";
import type { Context } from "../context.ts";
import { equalCounted } from "./operators.ts";
import { passOver } from "../judgement/pass-over.ts";
import type { Scope } from "../scope.ts";
import { hasWord } from "../../types/word.ts";
import { wordsOf } from "./words-of.ts";

/** The first row that matches; every value must have one. */
export function matchOf(
  match: Match,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Value | Valued {
  const subject = context.evaluate(match.subject, scope, null, "the matched value").value;
  const bodies = [...match.arms.map(({ body }) => body), ...(match.otherwise === null ? [] : [match.otherwise])];
  if (subject.kind === "unknown") {
    passOver(bodies, null, { scope, expected, what }, context);
    return subject;
  }
  const wanted = wordsOf(match.subject, { value: subject }, scope, context);
  const covered = new Set<string>();
  let chosen: Expression | null = null;
  for (const arm of match.arms) {
    for (const pattern of arm.patterns) {
      const { value } = context.evaluate(pattern, scope, wanted, "the pattern");
      if (value.kind === "unknown") continue;
      const word = wanted?.kind === "enum" ? quotedWord({ value, span: pattern.span }, wanted) : null;
      if (word !== null)
        context.report(
          wordQuoted(pattern.span, { what: "the row", word }, { fixes: [replacement(pattern.span, word)] }),
        );
      const same = equalCounted(subject, value, pattern.span, context);
      const name = value.kind === "member" ? value.name : value.kind === "string" ? value.value : show(value);
      if (same === null || covered.has(name) || (wanted?.kind === "enum" && !hasWord(wanted, name))) {
        context.report(
          neverMatches(
            pattern.span,
            { pattern: show(value) },
            wanted?.kind === "enum" ? { valid: wanted.values } : {},
          ),
        );
      }
      covered.add(name);
      if (chosen === null && same?.kind === "bool" && same.value) chosen = arm.body;
    }
  }
  const all = wanted?.kind === "enum" ? wanted.values : subject.kind === "bool" ? ["true", "false"] : null;
  const missing = all?.filter((v) => !covered.has(v)) ?? [];
  // Another value would come with another `--set`: that this one has a row says nothing of it.
  if (match.otherwise === null && (missing.length > 0 || all === null)) {
    const span = { ...match.span, end: match.subject.span.end };
    const others = chosen === null ? show(subject) : "any other value";
    context.report(notExhaustive(span, { missing: missing.length > 0 ? missing.join(", ") : others }));
  }
  const body = chosen ?? match.otherwise;
  passOver(bodies, body, { scope, expected, what }, context);
  if (body === null && (missing.length > 0 || all === null)) return unknown;
  return body === null ? none : context.evaluate(body, scope, expected, what);
}
