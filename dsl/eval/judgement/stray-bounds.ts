/** Bounds in a record that stands for no block of settings: they bound nothing. */
import { notBoundable } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Bound, Expression } from "../../syntax/ast.ts";
import { referencesIn } from "../expressions/references-in.ts";

type LetSymbol = Extract<Symbol, { kind: "let" }>;

/** Of what `let` names in a file: whatever speaks of it may give a block of settings by it. */
export function strayBounds(lets: readonly LetSymbol[], { file }: Module): readonly Diagnostic[] {
  const bounding = lets.flatMap((symbol) => {
    const bounds = boundsIn(symbol.node.value);
    return bounds.length === 0 ? [] : [{ name: symbol.name.text, bounds }];
  });
  if (bounding.length === 0) return [];
  const spoken = new Set(referencesIn(file));
  return bounding.flatMap(({ name, bounds }) =>
    spoken.has(name)
      ? []
      : bounds.map(({ target, span }) => {
          const what = `\`${target.map(({ text }) => text).join(".")}\``;
          const why = `\`${name}\` is not a block of settings`;
          return notBoundable(
            span,
            { what, why },
            { fix: "Write `=` and one value, or move the bound into its block." },
          );
        }),
  );
}

function boundsIn(node: unknown, found: Bound[] = []): readonly Bound[] {
  if (node === null || typeof node !== "object") return found;
  const { kind } = node as { readonly kind?: string };
  // What `with` says is said of a block, which judges it.
  if (kind === "with") return boundsIn((node as Extract<Expression, { kind: "with" }>).base, found);
  if (kind === "bound") found.push(node as Bound);
  for (const key in node) if (key !== "span") boundsIn((node as Readonly<Record<string, unknown>>)[key], found);
  return found;
}
