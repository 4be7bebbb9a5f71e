import type { Symbol } from "../../symbols/symbol.ts";
import { longestWay } from "../trail.ts";

/** The secret that `let k = key` gives another name, or names that were given to it before. */
export function secretNamedBy(symbol: Extract<Symbol, { kind: "let" }>): Symbol | null {
  const seen = new Set<Symbol>();
  let at: Symbol = symbol;
  while (at.kind === "let" && at.node.value.kind === "reference" && !seen.has(at) && seen.size < longestWay) {
    seen.add(at);
    const next: Symbol | undefined = at.module.names.get(at.node.value.name.text);
    if (next === undefined) return null;
    at = next;
  }
  return at.kind === "secret" ? at : null;
}
