import type { ShellWord } from "../shell/state.ts";
import { bare, type Settings, type Told } from "../settings.ts";

/** What a launcher's own options are: which take a value, and their short names. */
export interface OptionTable {
  readonly valued: ReadonlySet<string>;
  readonly short: Readonly<Record<string, string>>;
  /** Options without a value, where all of them are listed. */
  readonly switches?: ReadonlySet<string>;
  /** Options that take two words: a name and what it becomes. */
  readonly pairs?: ReadonlySet<string>;
  /** A value never stands in the word of its letter, as that of `-n8`. */
  readonly isWhole?: boolean;
}

export interface Parsed {
  readonly settings: Settings;
  /** What follows the options: the program and its arguments. */
  readonly rest: readonly ShellWord[];
  /** The first of their words that nobody knows. */
  readonly open: ShellWord | null;
}

/** Reads options up to the first word that is none: what launchers do with what stands before the program. */
export function launcherOptions(words: readonly ShellWord[], table: OptionTable): Parsed {
  const settings = new Map<string, Told>();
  let open: ShellWord | null = null;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.text === null) {
      if (isProgram(word, words[at + 1]?.text, table)) break;
      open ??= word;
      // Whatever it is, it may end in the program.
      if (at + 1 === words.length) break;
      continue;
    }
    if (word.text === "--") {
      at++;
      break;
    }
    if (!word.text.startsWith("-") || word.text === "-") break;
    const equals = word.text.indexOf("=");
    const written = equals > 0 ? word.text.slice(0, equals) : word.text;
    const clustered = /^-([A-Za-z])(.+)$/.exec(word.text);
    const short = table.short[written];
    if (
      short === undefined &&
      table.isWhole !== true &&
      !written.startsWith("--") &&
      clustered !== null &&
      table.short[`-${clustered[1]}`] !== undefined
    ) {
      const name = table.short[`-${clustered[1]}`] ?? "";
      settings.set(name, told(written.slice(0, 2), clustered[2] ?? "", word, word));
      continue;
    }
    const name = short ?? bare(written);
    if (equals > 0) settings.set(name, told(written, word.text.slice(equals + 1), word, word));
    else if (table.pairs?.has(name) === true) at += words[at + 1]?.text?.includes("=") === true ? 1 : 2;
    else if (table.valued.has(name) || isGlued(word, words[at + 1])) {
      const value = words[at + 1];
      if (value !== undefined) settings.set(name, told(written, value.text, word, value));
      at++;
    } else settings.set(name, told(written, true, word, word));
  }
  return { settings, rest: words.slice(at), open };
}

/** `--name=$VALUE`, which stands as two words: the name is known (see `withoutValue`). */
const isGlued = ({ span }: ShellWord, next: ShellWord | undefined): boolean =>
  next?.text === null &&
  next.span.source === span.source &&
  /^=["']?$/.test(span.source.text.slice(span.end, next.span.start));

/**
 * Is a word that nobody knows the program, or options in front of it? With text of its own it is the program. Quoted it is one word, and what
 * follows the program is no option of the launcher.
 */
function isProgram({ pieces }: ShellWord, next: string | null | undefined, table: OptionTable): boolean {
  const said = pieces.map(({ text }) => text ?? "").join("");
  if (said !== "") return !said.startsWith("-");
  const isOne = pieces.length > 0 && pieces.every(({ quoted }) => quoted);
  if (next?.startsWith("-") !== true) return isOne && next?.endsWith(".py") !== true;
  if (table.switches === undefined) return isOne;
  const [written = ""] = next.split("=");
  const name = bare(written);
  return table.short[written] === undefined && !table.valued.has(name) && !table.switches.has(name);
}

function told(name: string, value: string | boolean | null, nameWord: ShellWord, word: ShellWord): Told {
  return { value, known: value !== null, span: word.span, name, nameSpan: nameWord.span, from: word.from };
}

const assignment = /^(?:--?|\+{0,2})([A-Za-z_][\w./-]*)=([^]*)$/;

/** `-` or `--` and a letter: asked of every word of a launch, of which there are hundreds. */
function isOption(text: string): boolean {
  if (!text.startsWith("-")) return false;
  const letter = text.charCodeAt(text.startsWith("--") ? 2 : 1) | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}

/** `--name value`, `--name=value` and bare `--name` of a program whose options nobody has listed; hydra's `a.b=c` too. */
export function programOptions(words: readonly ShellWord[]): { readonly settings: Settings; readonly open: boolean } {
  const settings = new Map<string, Told>();
  let open = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.text === null) {
      open = true;
      continue;
    }
    const assigned = word.text.includes("=") ? assignment.exec(word.text) : null;
    if (assigned !== null) {
      settings.set(bare(assigned[1] ?? ""), told(assigned[1] ?? "", assigned[2] ?? "", word, word));
      continue;
    }
    if (!isOption(word.text)) continue;
    const next = words[at + 1];
    const takes = next !== undefined && (next.text === null || !isOption(next.text));
    settings.set(bare(word.text), takes ? told(word.text, next.text, word, next) : told(word.text, true, word, word));
    if (takes) at++;
  }
  return { settings, open };
}
