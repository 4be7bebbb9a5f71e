/** What `$( … )` and loops print: functions, branches and rounds are followed, and what `echo` and its like print is collected. */
import type * as Shell from "unbash";
import type { Context } from "./context.ts";
import { endsLine, isPrinter, outputOfCommand, substituted, withLine, withoutLines } from "./output.ts";
import type { Place, Prints, Reading } from "./reading.ts";
import { copyOf, type State, type Value } from "./state.ts";

/** What a command prints, where it is one that only prints; `false` leaves it to whoever reads commands. */
export function printInto(prints: Prints, command: Shell.Command, context: Context): boolean {
  const name = command.name?.value ?? "";
  if (!isPrinter(name) || context.state.functions.has(name) || command.redirects.some(leads)) return false;
  const said = outputOfCommand(command, context);
  if (said === null) prints.isKnown = false;
  else {
    const [first] = command.args;
    const here = context.text.spanOf(command.pos, command.end);
    prints.pieces.push(...(endsLine(name, first?.text ?? "") ? withLine(said, here) : said));
  }
  return true;
}

/** Does it lead what is printed to a file, or to the standard error? */
const leads = ({ operator, descriptor }: Shell.Redirection): boolean =>
  operator.includes(">") &&
  (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1));

/** A function that substitutes itself goes on for as long as nobody knows here. */
const deepest = 8;

/** `null` where a program is started, since nobody knows what it prints. */
export function outputOfCalls(
  reading: Reading,
  script: Shell.ParsedScript | undefined,
  outer: Context,
): Value | null {
  const depth = (reading.prints?.depth ?? 0) + 1;
  if (script === undefined || script.commands.length === 0 || depth > deepest) return null;
  const { text, state } = substituted(script, outer);
  const prints: Prints = { pieces: [], isKnown: true, depth };
  const within = reading.within(prints);
  within.statements(script.commands, text, state, alone);
  return prints.isKnown && within.commands.length === 0 ? withoutLines(prints.pieces) : null;
}

const alone: Place = { certain: true, outer: null, looped: false, depth: 0, calls: [], reading: [] };

/** What a loop prints as a whole, or else what a round of it does, as often as nobody knows here. */
export function outputOfLoop(
  reading: Reading,
  loop: Shell.CompoundCommand,
  { text, state }: { readonly text: Context["text"]; readonly state: State },
): { readonly all: Value | null; readonly round: Value } {
  const depth = (reading.prints?.depth ?? 0) + 1;
  if (depth > deepest) return { all: null, round: [] };
  const prints: Prints = { pieces: [], isKnown: true, depth };
  const within = reading.within(prints);
  within.node(loop, text, copyOf(state), alone);
  return { all: prints.isKnown && within.commands.length === 0 ? prints.pieces : null, round: prints.pieces };
}
