/** A pattern never needs more entries than a model has layers, nor a hundred brackets. */
const longest = 100_000;

/**
 * The value of a list written as the engine's patterns are: digits, `,`, `[ ]`, `( )`, `+` and `*`, such as `([0]*3+[1]*1)*3`.
 * `undefined` where Python would raise. Read by recursive descent; nothing is evaluated as code.
 *
 * Source: megatron/training/arguments.py: _eval_pattern.
 */
export function listExpression(text: string): readonly number[] | undefined {
  if (/[[(]{100}/.test(text.replaceAll(/[^[(]/g, ""))) return undefined;
  const tokens = text.match(/\d+|[[\](),+*]|\S/g) ?? [];
  let at = 0;
  const isNext = (token: string): boolean => tokens[at] === token;

  function sum(): readonly number[] | number | undefined {
    let left = product();
    while (isNext("+")) {
      at++;
      const right = product();
      if (typeof left === "number" && typeof right === "number") left += right;
      else if (typeof left === "object" && typeof right === "object") left = [...left, ...right];
      else return undefined;
    }
    return left;
  }

  function product(): readonly number[] | number | undefined {
    let left = atom();
    while (isNext("*")) {
      at++;
      const right = atom();
      if (left === undefined || right === undefined) return undefined;
      if (typeof left === "number" && typeof right === "number") left *= right;
      else if (typeof left === "object" && typeof right === "object") return undefined;
      else left = repeated(left, right);
      if (left === undefined) return undefined;
    }
    return left;
  }

  function atom(): readonly number[] | number | undefined {
    const token = tokens[at++];
    if (token === "(") {
      const inner = sum();
      return isNext(")") && at++ >= 0 ? inner : undefined;
    }
    if (token === "[") {
      const items: number[] = [];
      while (!isNext("]")) {
        const item = sum();
        if (typeof item !== "number") return undefined;
        items.push(item);
        if (isNext(",")) at++;
        else if (!isNext("]")) return undefined;
      }
      at++;
      return items;
    }
    return token !== undefined && /^\d+$/.test(token) ? Number(token) : undefined;
  }

  const value = sum();
  return at === tokens.length && typeof value === "object" ? value : undefined;
}

function repeated(
  left: readonly number[] | number,
  right: readonly number[] | number,
): readonly number[] | undefined {
  const [items, times] = typeof left === "object" ? [left, right as number] : [right as readonly number[], left];
  if (items.length * times > longest) return undefined;
  return Array.from({ length: times }, () => items).flat();
}
