import type { Symbol } from "../../symbols/symbol.ts";
import type { Expression, Statement } from "../../syntax/ast.ts";
import { symbolOf, textsOf } from "../meaning/kinds.ts";

/** The word that a block gives a property, itself or by what it extends: `adamw` of `s.optimizer`. */
export function wordSaid(
  symbol: Symbol | undefined,
  path: readonly string[],
  seen: readonly Symbol[] = [],
): string | null {
  if (symbol?.kind !== "block" || seen.includes(symbol)) return null;
  const { body, extends: above } = symbol.node;
  const parent = above === null ? null : symbolOf(textsOf(above), symbol.module);
  return saidIn(body ?? [], path) ?? wordSaid(parent?.symbol, path, [...seen, symbol]);
}

function saidIn(body: readonly Statement[], path: readonly string[]): string | null {
  for (const statement of body.toReversed()) {
    if (statement.kind === "assign" && textsOf(statement.target).join(".") === path.join("."))
      return wordOf(statement.value);
    if (statement.kind !== "block" || statement.name !== null) continue;
    const head = textsOf(statement.head);
    const inner = head.every((name, index) => name === path[index]) ? path.slice(head.length) : [];
    const found = inner.length === 0 ? null : saidIn(statement.body ?? [], inner);
    if (found !== null) return found;
  }
  return null;
}

const wordOf = (value: Expression): string | null =>
  value.kind === "reference" ? value.name.text : value.kind === "call" ? wordOf(value.callee) : null;
