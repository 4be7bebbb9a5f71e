/** A figure as people can recompute it: sums, products and quotients of figures with names. */
export type Expression =
  | { readonly kind: "figure"; readonly value: number; readonly what: string }
  | { readonly kind: "sum"; readonly of: readonly Expression[] }
  | { readonly kind: "product"; readonly of: readonly Expression[]; readonly under: readonly Expression[] };

export const figure = (value: number, what: string): Expression => ({ kind: "figure", value, what });

/** What is nothing is left out, but for the last that is left. */
export function sum(...terms: readonly Expression[]): Expression {
  const some = terms.filter((term) => valueOf(term) !== 0);
  const [only = terms[0] ?? figure(0, "")] = some;
  return some.length <= 1 ? only : { kind: "sum", of: some };
}

export const product = (...of: readonly Expression[]): Expression => ({ kind: "product", of, under: [] });

export const quotient = (above: readonly Expression[], under: readonly Expression[]): Expression => ({
  kind: "product",
  of: above,
  under,
});

export function valueOf(expression: Expression): number {
  switch (expression.kind) {
    case "figure":
      return expression.value;
    case "sum":
      return expression.of.reduce((all, each) => all + valueOf(each), 0);
    case "product":
      return all(expression.of) / all(expression.under);
  }
}

const all = (factors: readonly Expression[]): number => factors.reduce((made, each) => made * valueOf(each), 1);

/** `2 bytes a weight * 4_015_132_672 parameters of the rank / 16 ranks that share them`. */
export function shown(expression: Expression): string {
  switch (expression.kind) {
    case "figure":
      return `${digits(expression.value)} ${expression.what}`.trim();
    case "sum":
      return expression.of.map(shown).join(" + ").replaceAll("+ -", "- ");
    case "product":
      return (
        [...expression.of.map(factor)].join(" * ") + expression.under.map((each) => ` / ${factor(each)}`).join("")
      );
  }
}

const factor = (expression: Expression): string =>
  expression.kind === "sum" ? `(${shown(expression)})` : shown(expression);

/** Enough of them that what is recomputed is what is told. */
function digits(value: number): string {
  const whole = Number.isInteger(value) || Math.abs(value) >= 1e6 ? Math.round(value) : Number(value.toPrecision(6));
  return Math.abs(whole) >= 1e15
    ? whole.toPrecision(6)
    : String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, Number.isInteger(whole) ? "_" : "");
}
