/** A `test` as a trial of the file: which variants, what is amended, over which sweep, what must hold. */
import { misplaced } from "../../diagnostics/catalog/names.ts";
import { setTwice } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Assert, Assign, Expression, Name, Statement, Test } from "../../syntax/ast.ts";

export interface Trial {
  readonly title: string;
  readonly node: Test;
  readonly asserts: readonly Assert[];
  readonly amendments: readonly Statement[];
  /** `over = variants`: once for each point of that sweep. */
  readonly over: Name | null;
  readonly preset: Name | null;
  readonly overlays: readonly Name[];
}

/** What a test says of itself, and the kind that it names there. */
export const trialWords = { over: "sweep", preset: "preset", with: "overlay" } as const;

export function trialOf(node: Test, report: (diagnostic: Diagnostic) => void): Trial {
  const words = Object.keys(trialWords).map((word) =>
    node.body.filter((s): s is Assign => s.kind === "assign" && s.target.length === 1 && s.target[0].text === word),
  );
  const own = words.map(([first]) => first);
  for (const [first, ...again] of words) {
    if (first === undefined) continue;
    const related = [{ message: "the first time", span: first.target[0].span }];
    const slots = { name: first.target[0].text, where: "this test" };
    for (const { target } of again) report(setTwice(target[0].span, slots, { related }));
  }
  const rest = node.body.filter((s) => s.kind !== "assert" && !words.flat().includes(s as Assign));
  const amends = (s: Statement): boolean =>
    s.kind === "assign" || s.kind === "bound" || (s.kind === "block" && s.name === null);
  for (const statement of rest) {
    if (amends(statement)) continue;
    const where = "in a test: a test holds assertions, amendments, `over`, `preset` and `with`";
    const said = statement.kind === "block" ? `${statement.head[0].text} ${statement.name?.text ?? ""} { … }` : null;
    report(misplaced(statement.span, { what: `\`${said ?? statement.kind}\``, where }));
  }
  const [over, preset, overlays] = own.map((s) => (s === undefined ? [] : namesIn(s.value, report)));
  return {
    title: node.title.parts.join(""),
    node,
    asserts: node.body.filter((s) => s.kind === "assert"),
    amendments: rest.filter(amends),
    over: over?.[0] ?? null,
    preset: preset?.[0] ?? null,
    overlays: overlays ?? [],
  };
}

function namesIn(expression: Expression, report: (diagnostic: Diagnostic) => void): readonly Name[] {
  if (expression.kind === "reference") return [expression.name];
  if (expression.kind === "member" && expression.object.kind === "reference") {
    const { object, name, span } = expression;
    return [{ ...name, text: `${object.name.text}.${name.text}`, span }];
  }
  if (expression.kind === "list") return expression.items.flatMap((item) => namesIn(item, report));
  report(
    misplaced(expression.span, { what: "this", where: "in a test: it must name a sweep, a preset or overlays" }),
  );
  return [];
}
