/** Copies of blocks with more said: `x with { … }`. */
import type { Statement } from "../../syntax/ast.ts";
import type { Context } from "../context.ts";
import { applyBody } from "./merge.ts";
import { copyOf } from "./new-instance.ts";

export function derivation(): Context["derive"] {
  /** What copies that would share a name say; one that is evaluated again is the same. */
  const called = new Map<string, (readonly Statement[])[]>();
  return (base, body, by, wanted) => {
    const copies = called.get(wanted) ?? [];
    called.set(wanted, copies);
    const known = by.locals.size === 0 ? copies.indexOf(body) : -1;
    const nth = known >= 0 ? known + 1 : copies.push(body);
    const name = nth === 1 ? wanted : `${wanted}_${nth}`;
    const copy = copyOf(base, { name, span: base.span, abstract: false, symbol: base.symbol });
    applyBody(copy, body, by);
    return copy;
  };
}
