/** Branches and loops, over what is known of their conditions. */
import type * as Shell from "unbash";
import type { Span } from "../../../dsl/source/source.ts";
import { holds } from "./condition.ts";
import { patternFrom, valueFrom } from "./expand.ts";
import { pattern } from "./pattern.ts";
import type { Place, Reading } from "./reading.ts";
import { copyOf, merge, type State } from "./state.ts";
import { plain, type Text } from "./text.ts";

export function andOr(reading: Reading, command: Shell.AndOr, text: Text, state: State, place: Place): void {
  let answer: boolean | null = true;
  // That a command succeeds is assumed.
  let isAssumed = false;
  command.commands.forEach((each, at) => {
    const operator = command.operators[at - 1];
    const span = text.spanOf(each.pos, each.end);
    const way = answer === null ? reading.choices.take(span, 2) : null;
    if (way !== null) {
      const taken = way === 0 && follow(reading, { commands: [each] }, text, state, place);
      answer = (operator === "&&") === taken;
      return;
    }
    const said = operator === undefined ? true : operator === "&&" ? answer : answer === null ? null : !answer;
    const runs = said === false && operator === "||" && isAssumed && isAssignment(each) ? null : said;
    if (runs === false || state.ended !== "no") return;
    const isTest = testing(each);
    isAssumed = !isTest && !isAssignment(each);
    if (runs === null) {
      const maybe = copied(reading, state);
      if (isTest) holds(each, reading.contextOf(text, maybe));
      else reading.node(each, text, maybe, { ...place, certain: false });
      if (merge(state, [copyOf(state), maybe])) reading.choices.differ(span, 2);
      if (!isTest) answer = true;
    } else if (isTest) answer = holds(each, reading.contextOf(text, state));
    else {
      reading.node(each, text, state, place);
      answer = true;
    }
  });
}

/** A branch holds all that was known before it, and meets the others again. */
function copied({ spend }: Reading, state: State): State {
  spend(state.variables.size / 2);
  return copyOf(state);
}

/** `N=2`, and no command with it. */
function isAssignment(node: Shell.PipelineNode): boolean {
  return node.type === "Command" && node.name === undefined;
}

export function branches(
  reading: Reading,
  clauses: readonly { readonly clause: Shell.CompoundList; readonly then: Shell.CompoundList }[],
  otherwise: Shell.CompoundList | undefined,
  at: Span,
  text: Text,
  state: State,
  place: Place,
): void {
  const open: State[] = [];
  const passed: Shell.CompoundList[] = [];
  const ways = clauses.length + 1;
  const meet = (): void => {
    if (merge(state, open)) reading.choices.differ(at, ways);
  };
  for (const [way, { clause, then }] of clauses.entries()) {
    const last = clause.commands.at(-1)?.command;
    const answer = last === undefined ? null : holds(last, reading.contextOf(text, state));
    reading.statements(clause.commands.slice(0, -1), text, state, place);
    // `if torchrun …; then`: what is asked is started.
    if (last !== undefined && answer === null && !tests(last)) reading.node(last, text, state, place);
    if (answer === false) continue;
    const taken = answer === null ? reading.choices.take(at, ways) : null;
    if (taken !== null) {
      if (taken === way && follow(reading, then, text, state, place)) return;
      if (taken !== way) passed.push(then);
      continue;
    }
    const certain = answer === true && open.length === 0;
    if (certain) return reading.statements(then.commands, text, state, place);
    const branch = copied(reading, state);
    reading.statements(then.commands, text, branch, { ...place, certain: false });
    open.push(branch);
    if (answer === true) return meet();
  }
  if (passed.length > 0) {
    const ways = [...(otherwise === undefined ? [{ commands: [] }] : [otherwise]), ...passed];
    ways.some((body) => follow(reading, body, text, state, place));
    return;
  }
  if (open.length === 0)
    return otherwise === undefined ? undefined : reading.statements(otherwise.commands, text, state, place);
  const branch = copied(reading, state);
  if (otherwise !== undefined) reading.statements(otherwise.commands, text, branch, { ...place, certain: false });
  open.push(branch);
  meet();
}

export function cases(reading: Reading, command: Shell.Case, text: Text, state: State, place: Place): void {
  const word = plain(valueFrom(command.word, reading.contextOf(text, state)));
  const open: State[] = [];
  const at = text.spanOf(command.pos, command.end);
  const ways = command.items.length + 1;
  // `;&` goes on into the next body, `;;&` to the patterns behind.
  const isOpen = command.items.some(({ terminator }) => terminator === ";&" || terminator === ";;&");
  if (isOpen) return openCases(reading, command, word, text, state, place);
  const taken = word === null ? reading.choices.take(at, ways) : null;
  if (taken !== null) {
    const others = command.items.filter((_, way) => way !== taken).map(({ body }) => body);
    const chosen = command.items[taken]?.body ?? command.items.find(isAny)?.body ?? { commands: [] };
    [chosen, ...others].some((body) => follow(reading, body, text, state, place));
    return;
  }
  for (const item of command.items) {
    const answer = fits(reading, item, word, text, state);
    if (answer === true && open.length === 0) return reading.statements(item.body.commands, text, state, place);
    if (answer === false) continue;
    const branch = copied(reading, state);
    reading.statements(item.body.commands, text, branch, { ...place, certain: false });
    open.push(branch);
  }
  if (open.length === 0) return;
  if (!command.items.some(isAny)) open.push(copyOf(state));
  if (merge(state, open)) reading.choices.differ(at, ways);
}

/** Does one of the patterns fit? */
function fits(reading: Reading, item: Shell.CaseItem, word: string | null, text: Text, state: State): boolean | null {
  if (word === null) return null;
  const shapes = item.pattern.map((each) => {
    const shape = patternFrom(each, reading.contextOf(text, state));
    return shape === null ? null : pattern(shape, word.length, reading.spend);
  });
  return shapes.some((shape) => shape?.test(word) === true) || (shapes.includes(null) ? null : false);
}

/** Bodies one behind the other: several may run, and of what isn't known each may or may not. */
function openCases(
  reading: Reading,
  command: Shell.Case,
  word: string | null,
  text: Text,
  state: State,
  place: Place,
): void {
  let [isCertain, isFalling] = [true, false];
  for (const item of command.items) {
    if (state.ended !== "no") return;
    const answer = isFalling || fits(reading, item, word, text, state);
    if (answer === false) continue;
    if (answer === true && isCertain) {
      reading.statements(item.body.commands, text, state, place);
      if (item.terminator !== ";&" && item.terminator !== ";;&") return;
      isFalling = item.terminator === ";&";
      continue;
    }
    [isCertain, isFalling] = [false, false];
    const maybe = copied(reading, state);
    reading.statements(item.body.commands, text, maybe, { ...place, certain: false });
    merge(state, [copyOf(state), maybe]);
  }
}

const isAny = ({ pattern: shapes }: Shell.CaseItem): boolean => shapes.some(({ value }) => value === "*");

/** Goes one way of several, unless nothing is started there: a way that ends the script is no way of its launch. */
function follow(
  reading: Reading,
  body: { readonly commands: readonly (Shell.Statement | Shell.PipelineNode)[] },
  text: Text,
  state: State,
  place: Place,
): boolean {
  const branch = copied(reading, state);
  for (const each of body.commands) {
    if (branch.ended !== "no") break;
    reading.node("command" in each ? each.command : each, text, branch, { ...place, certain: false });
  }
  if (branch.ended === "exited") return false;
  merge(state, [branch]);
  return true;
}

/** Only tests, which start nothing. */
export function tests(node: Shell.PipelineNode | Shell.AndOr): boolean {
  return node.type === "AndOr" ? node.commands.every(testing) : testing(node);
}

function testing(node: Shell.PipelineNode): boolean {
  if (node.type === "Pipeline") return node.commands.length === 1 && testing(node.commands[0] as Shell.CommandNode);
  if (node.type === "TestCommand" || node.type === "ArithmeticCommand") return true;
  return node.type === "Command" && ["[", "test", "true", "false", "getopts", "let"].includes(node.name?.value ?? "");
}
