/** Whether a test of the shell holds, or `null` where it depends on something unknown. */
import type * as Shell from "unbash";
import { arithmetic } from "./arithmetic.ts";
import type { Context } from "./context.ts";
import { patternFrom, valueFrom, wordsFrom } from "./expand.ts";
import { getopts } from "./getopts.ts";
import { numberOf, numbersOf } from "./number-of.ts";
import { pattern } from "./pattern.ts";
import type { ShellWord, Value } from "./state.ts";
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
      const value = arithmetic(command.expression, numbersOf(context, context.text.spanOf(command.pos, command.end)));
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
        if (answer === (operator === "||")) return;
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
  if (name !== "[" && name !== "test" && name !== "getopts" && name !== "let") return null;
  const words = command.args.flatMap((arg) => (arg.type === "Word" ? wordsFrom(arg, context) : []));
  if (name === "getopts") return getopts(words, context);
  if (name === "let") {
    const values = command.args.map((arg) => numberOf(arg.type === "Word" ? arg.value : arg.text, context));
    const value = values.at(-1) ?? null;
    return value === null ? null : value !== 0;
  }
  // An unquoted stretch that nobody knows may be no word, or several.
  if (words.some(({ pieces }) => pieces.some((piece) => piece.text === null && !piece.quoted)) && words.length < 3)
    return null;
  return test(name === "[" ? words.slice(0, -1) : words);
}

function test(words: readonly ShellWord[]): Answer {
  const texts = words.map(({ text }) => text);
  const joint = texts.findIndex((text) => text === "-a" || text === "-o");
  if (joint > 0 && joint < words.length - 1 && words.length > 3) {
    const [a, b] = [test(words.slice(0, joint)), test(words.slice(joint + 1))];
    return texts[joint] === "-a" ? and(a, b) : not(and(not(a), not(b)));
  }
  const [first, second, third] = words;
  if (first === undefined) return false;
  if (second === undefined) return filled(first.pieces);
  if (texts[0] === "!" && !(words.length === 3 && texts[1] !== null && /^(?:[!=]?=|-[a-z]{2})$/.test(texts[1] ?? "")))
    return not(test(words.slice(1)));
  if (third === undefined) return unary(texts[0] ?? "", second.pieces);
  return words.length > 3 ? null : compare(texts[1] ?? "", first.text, third.text, isBare(first) || isBare(third));
}

/** Where it is not quoted, it may be no word or several: the test then fails or says something else. */
const isBare = ({ pieces }: ShellWord): boolean => pieces.some(({ text, quoted }) => text === null && !quoted);

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
      if (expression.operator === "-v") return isSet(expression.operand.value, context);
      return unary(expression.operator, valueFrom(expression.operand, context));
    case "TestBinary": {
      const left = plain(valueFrom(expression.left, context));
      const { operator } = expression;
      if (operator === "==" || operator === "=" || operator === "!=") {
        const right = patternFrom(expression.right, context);
        const shape = left === null || right === null ? null : pattern(right, left.length, context.spend);
        return shape === null || left === null ? null : shape.test(left) === (operator !== "!=");
      }
      const right = plain(valueFrom(expression.right, context));
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator) && left !== null && right !== null) {
        const [a, b] = [numberOf(left, context), numberOf(right, context)];
        return a === null || b === null ? null : (numbers[operator]?.(a, b) ?? null);
      }
      return compare(operator, left, right, false);
    }
  }
}

function isSet(name: string, { state }: Context): Answer {
  const variable = state.variables.get(name);
  if (variable === undefined || variable.kind === "unknown" || variable.kind === "map") return null;
  return variable.kind === "text" || variable.values.length > 0 ? true : null;
}

function unary(operator: string, value: Value): Answer {
  if (operator === "-n") return filled(value);
  if (operator === "-z") return not(filled(value));
  return null;
}

function filled(value: Value): Answer {
  if (value.some((piece) => piece.text !== null && piece.text !== "")) return true;
  return value.some((piece) => piece.text === null) ? null : false;
}

function compare(operator: string, left: string | null, right: string | null, isOpen: boolean): Answer {
  if (left === null || right === null || isOpen) return null;
  if (operator === "=" || operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  const [a, b] = [left, right].map((text) => (/^\s*[-+]?\d+\s*$/.test(text) ? Number(text) : null));
  return a === null || b === null || a === undefined || b === undefined ? null : (numbers[operator]?.(a, b) ?? null);
}

const numbers: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "-eq": (a, b) => a === b,
  "-ne": (a, b) => a !== b,
  "-lt": (a, b) => a < b,
  "-le": (a, b) => a <= b,
  "-gt": (a, b) => a > b,
  "-ge": (a, b) => a >= b,
};
