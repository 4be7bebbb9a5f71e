/** What may stand at a word of a command line: taken from the commands' own definitions and from the file it names. */
import type { Command, Option } from "commander";

export interface Candidate {
  readonly word: string;
  readonly hint: string;
}

/** The words that would do, or that the shell shall offer files that end so, or folders. */
export type Completion =
  { readonly kind: "words"; readonly words: readonly Candidate[] } | { readonly kind: "files" | "folders" };

/** Names that a file declares or imports. */
export interface Names {
  readonly steps: readonly Candidate[];
  readonly presets: readonly Candidate[];
  readonly overlays: readonly Candidate[];
  readonly launches: readonly Candidate[];
  readonly params: readonly Candidate[];
  readonly sweeps: readonly Candidate[];
  /** Titles of tests. */
  readonly tests: readonly Candidate[];
  /** Blocks whose leaves `--set` amends, kinds of which it amends all, and the leaves of one. */
  readonly blocks: readonly Candidate[];
  readonly leaves: (block: string) => readonly Candidate[];
  /** The words that a param or a leaf takes. */
  readonly values: (path: string) => readonly Candidate[];
}

export interface Sources {
  readonly names: (file: string) => Names | null;
  readonly runs: () => readonly Candidate[];
  readonly codes: () => readonly Candidate[];
}

/** `before` are the words between `cdrc` and the cursor, `current` is what is written of the word there, `behind` what follows it. */
export function complete(
  commands: readonly Command[],
  before: readonly string[],
  current: string,
  behind: readonly string[],
  sources: Sources,
): Completion {
  const [name, ...rest] = before;
  if (name === undefined) {
    const all = commands.map((command) => ({ word: command.name(), hint: command.summary() }));
    return some(
      current.startsWith("-")
        ? [
            { word: "--help", hint: "" },
            { word: "--version", hint: "" },
          ]
        : all,
      current,
    );
  }
  const command = commands.find((each) => each.name() === name);
  if (command === undefined) return some([], current);
  const { positional, awaits } = read(command, rest);
  const file = [...positional, ...behind].find((word) => word.endsWith(".cdr"));
  const names = (): Names => (file === undefined ? null : sources.names(file)) ?? nothing;
  if (awaits !== null) return valueOf(awaits, names, current, sources);
  const [flag, written] = current.startsWith("--") && current.includes("=") ? split(current) : [null, ""];
  if (flag !== null) {
    const option = command.options.find((each) => each.long === flag);
    const found = option === undefined ? some([], written) : valueOf(option, names, written, sources);
    return found.kind === "words"
      ? { kind: "words", words: found.words.map(({ word, hint }) => ({ word: `${flag}=${word}`, hint })) }
      : found;
  }
  if (current.startsWith("-")) {
    const visible = command.options.filter((option) => !option.hidden);
    const flags = visible.map((option) => ({ word: option.long ?? option.short ?? "", hint: option.description }));
    return some([...flags, { word: "--help", hint: "display help for command" }], current);
  }
  return argumentOf(command, positional, names, current, sources);
}

/** Which words are arguments, and which option the next word belongs to. */
function read(command: Command, words: readonly string[]): { positional: readonly string[]; awaits: Option | null } {
  const positional: string[] = [];
  let awaits: Option | null = null;
  for (const word of words) {
    if (awaits !== null) awaits = null;
    else if (!word.startsWith("-")) positional.push(word);
    else awaits = command.options.find((o) => (o.long === word || o.short === word) && o.required) ?? null;
  }
  return { positional, awaits };
}

function valueOf(option: Option, names: () => Names, current: string, sources: Sources): Completion {
  if (option.argChoices !== undefined) {
    return some(
      option.argChoices.map((word) => ({ word, hint: "" })),
      current,
    );
  }
  switch (option.attributeName()) {
    case "from":
      return some(sources.runs(), current);
    case "on":
      return some(names().launches, current);
    case "preset":
      return some(names().presets, current);
    case "with":
      return current.includes("/") || current.endsWith(".cdr") ? { kind: "files" } : some(names().overlays, current);
    case "set":
      return some(settableIn(names(), current), current);
    default:
      return { kind: /DIR|folder|directory/i.test(`${option.flags} ${option.description}`) ? "folders" : "files" };
  }
}

function argumentOf(
  command: Command,
  positional: readonly string[],
  names: () => Names,
  current: string,
  sources: Sources,
): Completion {
  const declared = command.registeredArguments;
  const argument = declared[Math.min(positional.length, declared.length - 1)];
  if (argument === undefined || (positional.length >= declared.length && !argument.variadic))
    return some([], current);
  if (argument.argChoices !== undefined) {
    return some(
      argument.argChoices.map((word) => ({ word, hint: "" })),
      current,
    );
  }
  switch (argument.name()) {
    case "step":
      return some(names().steps, current);
    case "sweep":
      return some(names().sweeps, current);
    case "title":
      return some(names().tests, current);
    case "name":
      return some(sources.runs(), current);
    case "what":
      return some([...sources.codes(), ...pathsIn(names(), current)], current);
    case "dir":
      return { kind: "folders" };
    default:
      return { kind: "files" };
  }
}

/** Params, then blocks; the leaves of a block once its name is written, the values of a leaf once it is. */
function settableIn(names: Names, current: string): readonly Candidate[] {
  const [path] = split(current);
  if (current.includes("=")) return names.values(path).map(({ word, hint }) => ({ word: `${path}=${word}`, hint }));
  return pathsIn(names, current).map(({ word, hint }) => ({ word: word.endsWith(".") ? word : `${word}=`, hint }));
}

function pathsIn({ params, blocks, leaves }: Names, current: string): readonly Candidate[] {
  const block = blocks.find(({ word }) => current.startsWith(`${word}.`));
  if (block !== undefined)
    return leaves(block.word).map(({ word, hint }) => ({ word: `${block.word}.${word}`, hint }));
  return [...params, ...blocks.map(({ word, hint }) => ({ word: `${word}.`, hint }))];
}

const nothing: Names = {
  ...{ steps: [], presets: [], overlays: [], launches: [], params: [], sweeps: [], tests: [], blocks: [] },
  leaves: () => [],
  values: () => [],
};

function some(words: readonly Candidate[], current: string): Completion {
  return { kind: "words", words: words.filter(({ word }) => word.startsWith(current)) };
}

function split(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}
