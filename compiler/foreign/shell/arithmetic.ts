import type * as Shell from "unbash";

/** The value of an arithmetic expression, or `null` where a part of it is unknown. Names are looked up by `lookup`. */
export function arithmetic(
  expression: Shell.ArithmeticExpression | undefined,
  lookup: (word: Shell.ArithmeticWord) => number | null,
): number | null {
  if (expression === undefined) return null;
  const value = (each: Shell.ArithmeticExpression): number | null => arithmetic(each, lookup);
  switch (expression.type) {
    case "ArithmeticWord":
      return lookup(expression);
    case "ArithmeticGroup":
      return value(expression.expression);
    case "ArithmeticCommandExpansion":
      return null;
    case "ArithmeticTernary": {
      const test = value(expression.test);
      return test === null ? null : value(test === 0 ? expression.alternate : expression.consequent);
    }
    case "ArithmeticUnary": {
      const operand = value(expression.operand);
      return operand === null ? null : (unary[expression.operator]?.(operand) ?? null);
    }
    case "ArithmeticBinary": {
      const [left, right] = [value(expression.left), value(expression.right)];
      return left === null || right === null ? null : (binary[expression.operator]?.(left, right) ?? null);
    }
  }
}

const unary: Readonly<Record<string, (a: number) => number>> = {
  "-": (a) => -a,
  "+": (a) => a,
  "!": (a) => (a === 0 ? 1 : 0),
  "~": (a) => ~a,
};

const truth = (value: boolean): number => (value ? 1 : 0);

const binary: Readonly<Record<string, (a: number, b: number) => number | null>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0 ? null : Math.trunc(a / b)),
  "%": (a, b) => (b === 0 ? null : a % b),
  "**": (a, b) => a ** b,
  "<<": (a, b) => a * 2 ** b,
  ">>": (a, b) => Math.floor(a / 2 ** b),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "==": (a, b) => truth(a === b),
  "!=": (a, b) => truth(a !== b),
  "<": (a, b) => truth(a < b),
  "<=": (a, b) => truth(a <= b),
  ">": (a, b) => truth(a > b),
  ">=": (a, b) => truth(a >= b),
  "&&": (a, b) => truth(a !== 0 && b !== 0),
  "||": (a, b) => truth(a !== 0 || b !== 0),
  ",": (_, b) => b,
};
