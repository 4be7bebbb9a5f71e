/** Words of a script that only the job knows: each variable in them becomes a param of the file. */
import type { ShellWord } from "../foreign/shell/state.ts";
import type { Word } from "../engines/word.ts";
import { identifier, quoted } from "./literals.ts";
import { isSecretName } from "./secrets.ts";

const [open, close] = ["\uE000", "\uE001"];
const mark = new RegExp(`${open}([^${close}]*)${close}`, "g");

/** The words with a mark for each variable that isn't known, so that they can be read like others. */
export function marked(words: readonly ShellWord[]): readonly Word[] {
  return words.map(({ text, span, pieces, from }) => {
    if (text !== null) return { text, span };
    const parts = pieces.length === 0 ? [{ text: null, from: from[0] }] : pieces;
    return {
      span,
      text: parts.map((piece) => piece.text ?? `${open}${piece.from ?? from[0] ?? "value"}${close}`).join(""),
    };
  });
}

/** The same for a text that `envsubst` or another shell fills in: `${IMAGE}`. */
export function markedText(text: string): string {
  return text.replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_, braced?: string, bare?: string) => `${open}${braced ?? bare ?? ""}${close}`,
  );
}

export function hasVariable(text: string): boolean {
  return text.includes(open);
}

/** Nothing but a variable: where no value is awaited, it may be any arguments. */
export function isOnlyVariable(text: string): boolean {
  return text.startsWith(open) && text.indexOf(close) === text.length - 1;
}

export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(mark)].map((match) => match[1] ?? "");
}

/** The text with the value that each param has where nobody sets its variable. */
export function withDefaults(text: string): string {
  return text.replaceAll(mark, (_, name: string) => (isSecretName(name) ? "" : paramOf(name)));
}

/** A text in quotes in which each variable is the param of its name. */
export function quotedWithParams(text: string): string {
  if (!hasVariable(text)) return quoted(text);
  const parts = text
    .split(mark)
    .map((part, at) => (at % 2 === 0 ? quoted(part).slice(1, -1) : `\${${paramOf(part)}}`));
  return `"${parts.join("")}"`;
}

/** `param checkpoint_path: Path = env("CHECKPOINT_PATH", default = …)` for each. */
export function paramLines(variables: Iterable<string>): readonly string[] {
  return [...new Set(variables)].map((name) => {
    const why = `$${name} is set where the script runs`;
    if (isSecretName(name))
      return `param ${paramOf(name)}: String = "" // guessed: ${why}, and a secret is not written`;
    const isVariable = /^[A-Za-z_]\w*$/.test(name);
    const value = isVariable ? `env(${quoted(name)}, default = ${quoted(paramOf(name))})` : quoted(paramOf(name));
    return `param ${paramOf(name)}: String = ${value} // guessed: ${why}`;
  });
}

export function paramOf(variable: string): string {
  const name = identifier(variable, "value");
  return taken.has(name) ? `${name}_value` : name;
}

/** Names that a file declares anyway, and words that begin a declaration. */
const taken: ReadonlySet<string> = new Set([
  ...["model", "data", "stage", "cluster", "launch", "param", "let", "fn", "import", "secret", "enum", "test", "env"],
  ...[
    "corpus",
    "network",
    "pretrain",
    "pod",
    "here",
    "store",
    "none",
    "auto",
    "true",
    "false",
    "run",
    "plan",
    "host",
  ],
]);
