/** Whether a test of the shell holds, or `null` where it depends on something unknown. */
import type * as Shell from "unbash";
import { arithmetic } from "./arithmetic.ts";
import { numberOf, valueFrom, type Context } from "./expand.ts";
import { pattern } from "./pattern.ts";
import { plain } from "./text.ts";

type Answer = boolean | null;

const not = (answer: Answer): Answer => (answer === null ? null : !answer);
const and = (a: Answer, b: Answer): Answer =>
  a === false || b === false ? false : a === null || b === null ? null : true;

/** A clause of `if`, or one side of `&&`: known only where it is a test. */
export function holds(command: Shell.PipelineNode | Shell.AndOr, context: Context): Answer {
  switch (command.type) {
    case "TestCommand":
      return extended(command.expression, context);
    case "ArithmeticCommand": {
      const value = arithmetic(command.expression, (word) => numberOf(word.value, context));
      return value === null ? null : value !== 0;
    }
    case "Pipeline": {
      const [only] = command.commands;
      if (only === undefined || command.commands.length !== 1) return null;
      const answer = holds(only, context);
      return command.prefixes.filter(({ type }) => type === "Negation").length % 2 === 1 ? not(answer) : answer;
    }
    case "AndOr": {
      let answer: Answer = holds(command.commands[0] as Shell.PipelineNode, context);
      command.operators.forEach((operator, at) => {
        const next = holds(command.commands[at + 1] as Shell.PipelineNode, context);
        answer = operator === "&&" ? and(answer, next) : not(and(not(answer), not(next)));
      });
      return answer;
    }
    case "Command":
      return simple(command, context);
    default:
      return null;
  }
}

function simple(command: Shell.Command, context: Context): Answer {
  const name = command.name?.value;
  if (name === "true" || name === ":") return true;
  if (name === "false") return false;
  if (name !== "[" && name !== "test") return null;
  const words = command.args.filter((arg): arg is Shell.Word => arg.type === "Word");
  const given = name === "[" ? words.slice(0, -1) : words;
  if (given[0]?.value === "!") return not(test(given.slice(1), context));
  return test(given, context);
}

function test(words: readonly Shell.Word[], context: Context): Answer {
  const joint = words.findIndex(({ value }) => value === "-a" || value === "-o");
  if (joint > 0 && joint < words.length - 1) {
    const [a, b] = [test(words.slice(0, joint), context), test(words.slice(joint + 1), context)];
    return words[joint]?.value === "-a" ? and(a, b) : not(and(not(a), not(b)));
  }
  const [first, second, third] = words;
  if (words.length === 1 && first !== undefined) return filled(first, context);
  if (words.length === 2 && first !== undefined && second !== undefined) return unary(first.value, second, context);
  if (first === undefined || second === undefined || third === undefined || words.length > 3) return null;
  return compare(second.value, text(first, context), text(third, context));
}

function extended(expression: Shell.TestExpression, context: Context): Answer {
  switch (expression.type) {
    case "TestGroup":
      return extended(expression.expression, context);
    case "TestNot": {
      const answer = extended(expression.operand, context);
      return expression.negations.length % 2 === 1 ? not(answer) : answer;
    }
    case "TestLogical": {
      const answers = expression.operands.map((each) => extended(each, context));
      if (expression.operator === "&&") return answers.reduce(and, true);
      return not(answers.map(not).reduce(and, true));
    }
    case "TestUnary":
      return unary(expression.operator, expression.operand, context);
    case "TestBinary": {
      const [left, right] = [text(expression.left, context), text(expression.right, context)];
      const { operator } = expression;
      const matched = operator === "==" || operator === "=" || operator === "!=";
      if (matched && left !== null && right !== null && expression.right.parts === undefined) {
        const shape = pattern(right, left.length, context.spend);
        if (shape === null) return null;
        return shape.test(left) === (operator !== "!=");
      }
      return compare(operator, left, right);
    }
  }
}

function unary(operator: string, operand: Shell.Word, context: Context): Answer {
  if (operator === "-n") return filled(operand, context);
  if (operator === "-z") return not(filled(operand, context));
  return null;
}

function filled(word: Shell.Word, context: Context): Answer {
  const pieces = valueFrom(word, context);
  if (pieces.some((piece) => piece.text !== null && piece.text !== "")) return true;
  return pieces.some((piece) => piece.text === null) ? null : false;
}

function text(word: Shell.Word, context: Context): string | null {
  return plain(valueFrom(word, context));
}

function compare(operator: string, left: string | null, right: string | null): Answer {
  if (left === null || right === null) return null;
  if (operator === "=" || operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  const [a, b] = [Number(left), Number(right)];
  if (!Number.isInteger(a) || !Number.isInteger(b)) return null;
  return numbers[operator]?.(a, b) ?? null;
}

const numbers: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "-eq": (a, b) => a === b,
  "-ne": (a, b) => a !== b,
  "-lt": (a, b) => a < b,
  "-le": (a, b) => a <= b,
  "-gt": (a, b) => a > b,
  "-ge": (a, b) => a >= b,
};
