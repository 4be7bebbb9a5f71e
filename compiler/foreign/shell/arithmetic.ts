import type * as Shell from "unbash";

/** Variables as an arithmetic expression sees them; `null` is a number that nobody knows. */
export interface Numbers {
  readonly read: (word: string, parts: readonly Shell.WordPart[] | undefined) => number | null;
  readonly write: (name: string, value: number | null) => void;
  /** Told why the shell refuses an expression whose parts are all known. */
  readonly refuse?: (why: string) => void;
}

/** The value of an arithmetic expression, with what it assigns, or `null` where a part of it is unknown. */
export function arithmetic(
  expression: Shell.ArithmeticExpression | null | undefined,
  numbers: Numbers,
): number | null {
  if (expression === undefined || expression === null) return null;
  const value = (each: Shell.ArithmeticExpression): number | null => arithmetic(each, numbers);
  switch (expression.type) {
    case "ArithmeticWord":
      return numbers.read(expression.value, expression.parts);
    case "ArithmeticGroup":
      return value(expression.expression);
    case "ArithmeticCommandExpansion":
      return null;
    case "ArithmeticTernary": {
      const test = value(expression.test);
      if (test !== null) return value(test === 0 ? expression.alternate : expression.consequent);
      forget([expression.alternate, expression.consequent], numbers);
      return null;
    }
    case "ArithmeticUnary": {
      const { operator, operand, prefix } = expression;
      const before = value(operand);
      if (operator !== "++" && operator !== "--") return before === null ? null : (unary[operator]?.(before) ?? null);
      if (operand.type !== "ArithmeticWord") return null;
      const after = before === null ? null : operator === "++" ? before + 1 : before - 1;
      numbers.write(operand.value, after);
      return prefix ? after : before;
    }
    case "ArithmeticBinary":
      return ofTwo(expression, numbers);
  }
}

function ofTwo({ operator, left, right }: Shell.ArithmeticBinary, numbers: Numbers): number | null {
  const assigns = /^(|[-+*/%&|^]|<<|>>)=$/.exec(operator)?.[1];
  if (assigns !== undefined && left.type === "ArithmeticWord") {
    const before = assigns === "" ? 0 : arithmetic(left, numbers);
    const other = arithmetic(right, numbers);
    const after = assigns === "" ? other : combined(assigns, before, other, numbers);
    numbers.write(left.value, after);
    return after;
  }
  const first = arithmetic(left, numbers);
  if (operator === "&&" || operator === "||") {
    const decided = operator === "&&" ? 0 : 1;
    if (first !== null && (first === 0 ? 0 : 1) === decided) return decided;
    if (first === null) forget([right], numbers);
    const second = first === null ? null : arithmetic(right, numbers);
    return second === null ? null : second === 0 ? 0 : 1;
  }
  return combined(operator, first, arithmetic(right, numbers), numbers);
}

/** What may or may not be assigned isn't known afterwards. */
function forget(expressions: readonly Shell.ArithmeticExpression[], numbers: Numbers): void {
  const { read, write } = numbers;
  for (const each of expressions) arithmetic(each, { read, write: (name) => write(name, null) });
}

function combined(operator: string, a: number | null, b: number | null, { refuse }: Numbers): number | null {
  if (operator === ",") return b;
  if ((operator === "/" || operator === "%") && b === 0) refuse?.("it divides by 0");
  if (operator === "**" && b !== null && b < 0) refuse?.("its exponent is below 0");
  if (a === null || b === null) return null;
  const result = binary[operator]?.(a, b) ?? null;
  // Beyond that, 64 bits of the shell and the numbers here differ.
  return result !== null && Number.isSafeInteger(result) ? result : null;
}

const unary: Readonly<Record<string, (a: number) => number>> = {
  "-": (a) => 0 - a,
  "+": (a) => a,
  "!": (a) => (a === 0 ? 1 : 0),
  "~": (a) => -a - 1,
};

const truth = (value: boolean): number => (value ? 1 : 0);
const bits = (by: (a: bigint, b: bigint) => bigint) => (a: number, b: number) => Number(by(BigInt(a), BigInt(b)));

const binary: Readonly<Record<string, (a: number, b: number) => number | null>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b + 0,
  "/": (a, b) => (b === 0 ? null : Math.trunc(a / b) + 0),
  "%": (a, b) => (b === 0 ? null : (a % b) + 0),
  "**": (a, b) => (b < 0 ? null : a ** b),
  "<<": (a, b) => (b < 0 || b > 63 ? null : a * 2 ** b),
  ">>": (a, b) => (b < 0 || b > 63 ? null : Math.floor(a / 2 ** b)),
  "&": bits((a, b) => a & b),
  "|": bits((a, b) => a | b),
  "^": bits((a, b) => a ^ b),
  "==": (a, b) => truth(a === b),
  "!=": (a, b) => truth(a !== b),
  "<": (a, b) => truth(a < b),
  "<=": (a, b) => truth(a <= b),
  ">": (a, b) => truth(a > b),
  ">=": (a, b) => truth(a >= b),
};
