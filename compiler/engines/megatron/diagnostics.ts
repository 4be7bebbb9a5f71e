import type { Diagnostic, Related } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { CommandLine, Given } from "./command-line.ts";
import { spanOf } from "./complaints.ts";
import type { Finding, Judgement } from "./judge.ts";
import { steps } from "./rules/index.ts";
import type { Rule } from "./step.ts";

/** Where the parts of a launch besides its arguments were written. */
export interface Places {
  /** Said to be wrong where none of the arguments that a rule speaks of is given. */
  readonly program: Span;
  /** Assignments of environment variables. */
  readonly env: ReadonlyMap<string, Span>;
  /** Where a stage has words of the engine's own, beside those that follow from it. */
  readonly own?: ReadonlySet<Span>;
}

/** What a judgement is to a user: at the arguments that are to blame. */
export function diagnosticsOfMegatron(
  line: CommandLine,
  judgement: Pick<Judgement, "findings">,
  places: Places,
): readonly Diagnostic[] {
  return judgement.findings.map((finding) => diagnosticOf(finding, line, places));
}

/** Variables that a message names as words of their own. */
function variablesIn(message: string, env: Places["env"]): readonly (readonly [string, Span])[] {
  const within = [...env].filter(([name]) => message.includes(name));
  if (within.length === 0) return within;
  const words = new Set(message.match(/\w+/g));
  return within.filter(([name]) => words.has(name));
}

/** Arguments that a message names, as they stand on the line. */
function namedIn(message: string, line: CommandLine): readonly Given[] {
  const flags = message.match(/--[\w-]+/g);
  if (flags === null) return [];
  const byFlag = byFlags.get(line) ?? flagsOf(line);
  byFlags.set(line, byFlag);
  return [...new Set(flags.flatMap((flag) => byFlag.get(flag) ?? []))]
    .toSorted((left, right) => left.at - right.at)
    .map(({ given }) => given);
}

interface OnLine {
  readonly given: Given;
  readonly at: number;
}

const byFlags = new WeakMap<CommandLine, ReadonlyMap<string, OnLine>>();

function flagsOf(line: CommandLine): ReadonlyMap<string, OnLine> {
  const flags = new Map<string, OnLine>();
  let at = 0;
  for (const given of line.given.values()) {
    for (const name of given.argument.names) flags.set(name, { given, at });
    at++;
  }
  return flags;
}

/** Old names of what settings take under them. */
const oldNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(
    Object.groupBy(
      steps.flatMap((step) =>
        step.kind === "setting" ? step.sets.flatMap((name) => (step.from ?? []).map((from) => ({ name, from }))) : [],
      ),
      ({ name }) => name,
    ),
  ).map(([name, all = []]) => [name, all.map(({ from }) => from)]),
);

/** An argument, or what says the same under a name that it had. */
function givenAs(name: string, { given }: CommandLine): Given | undefined {
  return given.get(name) ?? (oldNames.get(name) ?? []).flatMap((old) => given.get(old) ?? [])[0];
}

/** A message in the names that the command line has. */
function asWritten(message: string, { about }: Rule, line: CommandLine): string {
  return about.reduce((text, name) => {
    const given = givenAs(name, line);
    const isOld = given !== undefined && given.argument.dest !== name;
    return isOld ? text.replaceAll(`--${name.replaceAll("_", "-")}`, given.name) : text;
  }, message);
}

function diagnosticOf(
  { rule, message: said, valid }: Finding,
  line: CommandLine,
  { program, env, own }: Places,
): Diagnostic {
  // What somebody wrote in the engine's words first; then what the message names; of several, in the order of the rule.
  const message = asWritten(said, rule, line);
  const besides = namedIn(message, line);
  const isNamed = (given: Given): boolean => besides.includes(given);
  const isOwn = ({ words }: Given): boolean => own !== undefined && words.some(({ span }) => own.has(span));
  const rankOf = (given: Given): number => (isOwn(given) ? 0 : 2) + (isNamed(given) ? 0 : 1);
  const variables = variablesIn(message, env);
  const spoken = rule.about.flatMap((name) => givenAs(name, line) ?? []);
  const named = [...new Set([...spoken, ...besides])].toSorted((left, right) => rankOf(left) - rankOf(right));
  const candidates: Related[] = [
    ...variables.map(([name, span]) => ({ message: `${name} is set here`, span })),
    ...named.flatMap(placesOf),
  ];
  const [first, ...others] = candidates;
  return rule.diagnostic(
    first?.span ?? program,
    { message },
    { valid: valid.map(String), related: others.filter(({ span }) => span !== first?.span) },
  );
}

/** An argument; where a variable holds its value, the value first: it is what one would change. */
function placesOf(given: Given): readonly Related[] {
  const { words, name } = given;
  const [first, value] = [words[0], words.at(-1)];
  if (first === undefined || value === undefined || first.span === value.span || isBeside(first.span, value.span))
    return [{ message: `${name} is given here`, span: spanOf(given) }];
  return [
    { message: `the value of ${name}`, span: value.span },
    { message: `${name} is given here`, span: first.span },
  ];
}

function isBeside(name: Span, value: Span): boolean {
  return (
    name.source === value.source &&
    /^[\s\\"'=]*$/.test(name.source.text.slice(name.end, value.start)) &&
    value.start >= name.end
  );
}
