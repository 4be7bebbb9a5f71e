/** Loops, round by round where what they ask is known. */
import type * as Shell from "unbash";
import { arithmetic } from "./arithmetic.ts";
import { keepDefaults, takesOptions } from "./asked-for.ts";
import { tests } from "./branches.ts";
import { holds } from "./condition.ts";
import { wordsFrom } from "./expand.ts";
import { countOf } from "./elements.ts";
import { numbersOf } from "./number-of.ts";
import type { Place, Reading } from "./reading.ts";
import { copyOf, merge, type State, type Value } from "./state.ts";
import type { Text } from "./text.ts";

/** Rounds that are followed, and those of a loop that starts something each time. */
const most = 64;
const mostStarts = 16;

interface Loop {
  /** Does another round begin? */
  readonly ask: (state: State, round: number) => boolean | null;
  readonly begin?: (state: State, round: number) => void;
  readonly next?: (state: State) => void;
  /** What a round begins with where nobody knows which it is. */
  readonly any?: (state: State) => void;
  readonly body: Shell.CompoundList;
  /** It goes round once at most. */
  readonly isSingle?: boolean;
  /** What it asks, in the words of the script. */
  readonly asked?: string;
}

function loop(
  reading: Reading,
  { ask, begin, next, any, body, isSingle, asked }: Loop,
  text: Text,
  state: State,
  place: Place,
): void {
  const start = copyOf(state);
  const isOptional = asked !== undefined && takesOptions(asked, body, text, state);
  const started = reading.commands.length;
  for (let round = 0; ; round++) {
    const answer = ask(state, round);
    if (answer === false) return;
    const isTooLong = round >= (reading.commands.length > started ? mostStarts : most);
    if (answer === null || isTooLong || state.isLoose) {
      // What was followed so far may be one of its rounds, or none.
      const open = answer === null ? copyOf(state) : start;
      if (answer !== null) reading.commands.length = started;
      const one = copyOf(open);
      any?.(one);
      reading.statements(body.commands, text, one, { ...place, certain: false, looped: true });
      merge(state, [open, copyOf(state), { ...one, ended: "no" }]);
      if (isOptional) keepDefaults(start, state);
      state.isLoose = false;
      return;
    }
    begin?.(state, round);
    reading.statements(body.commands, text, state, { ...place, looped: place.looped || isSingle !== true });
    if ((state.ended === "broke" || state.ended === "continued") && state.levels === 0) {
      const isLeft = state.ended === "broke";
      state.ended = "no";
      if (isLeft) return;
    } else if (state.ended !== "no") {
      state.levels = Math.max(0, state.levels - 1);
      return;
    }
    next?.(state);
  }
}

export function forEach(reading: Reading, command: Shell.For, text: Text, state: State, place: Place): void {
  const words: readonly Value[] | null =
    command.wordlist?.flatMap((word) =>
      wordsFrom(word, reading.contextOf(text, state)).map(({ pieces }) => pieces),
    ) ?? state.positional;
  const name = command.name.value;
  const span = text.spanOf(command.name.pos, command.name.end);
  const isKnown = words !== null && words.length <= mostStarts && countOf(words) !== null;
  const set = (open: State, round: number): void => {
    // A name for another variable would become one for each of these.
    if (open.variables.references.has(name)) open.variables.refer(name, null);
    open.variables.set(name, { kind: "text", value: words?.[round] ?? [], span });
  };
  const ask = (_: State, round: number): boolean | null => (isKnown ? round < words.length : null);
  const any = (open: State): void => void open.variables.set(name, { kind: "unknown", span });
  const asked = (command.wordlist ?? []).map(({ pos, end }) => text.text.slice(pos, end)).join(" ") || "$@";
  const isSingle = words?.length === 1;
  loop(reading, { ask, begin: set, any, body: command.body, isSingle, asked }, text, state, place);
}

export function whileLoop(reading: Reading, command: Shell.While, text: Text, state: State, place: Place): void {
  const last = command.clause.commands.at(-1)?.command;
  const ask = (open: State): boolean | null => {
    reading.statements(command.clause.commands.slice(0, -1), text, open, place);
    // `while true` ends by what happens within, mostly at somebody's answer.
    if (last === undefined || (last.type === "Command" && /^(?:true|:)$/.test(last.name?.value ?? ""))) return null;
    const answer = holds(last, reading.contextOf(text, open));
    // `until torchrun …; do`: what is asked is started.
    if (answer === null && !tests(last)) reading.node(last, text, open, place);
    return answer === null ? null : answer === (command.kind === "while");
  };
  const asked = text.text.slice(command.clause.commands[0]?.pos ?? 0, command.clause.commands.at(-1)?.end ?? 0);
  loop(reading, { ask, body: command.body, asked }, text, state, place);
}

export function arithmeticFor(
  reading: Reading,
  { initialize, test, update, body, pos, end }: Shell.ArithmeticFor,
  text: Text,
  state: State,
  place: Place,
): void {
  const span = text.spanOf(pos, end);
  const value = (each: Shell.ArithmeticExpression | undefined, open: State): number | null =>
    arithmetic(each, numbersOf(reading.contextOf(text, open), span));
  value(initialize, state);
  const ask = (open: State): boolean | null => {
    const answer = test === undefined ? null : value(test, open);
    return answer === null ? null : answer !== 0;
  };
  loop(reading, { ask, next: (open) => void value(update, open), body }, text, state, place);
}
