/** TOML with positions, as Python's `tomllib` reads it: torchtitan's files are written in it. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../dsl/source/source.ts";
import { foreignTomlSyntax } from "../diagnostics/foreign.ts";
import type { Entry, Located, Scalar } from "./located.ts";
import type { Text } from "./shell/text.ts";

interface Table {
  readonly kind: "map";
  readonly entries: Entry[];
  span: Span;
}

interface Key {
  readonly name: string;
  readonly span: Span;
}

/** What is wrong, and where: thrown inside the reader alone. */
class Wrong extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

/** Arrays and inline tables within each other, beyond which no configuration goes. */
const deepest = 100;

export function readToml(text: Text): {
  readonly root: Located | undefined;
  readonly diagnostics: readonly Diagnostic[];
} {
  try {
    return { root: new Reader(text).document(), diagnostics: [] };
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const start = Math.min(error.at, Math.max(0, text.text.length - 1));
    return {
      root: undefined,
      diagnostics: [foreignTomlSyntax(text.spanOf(start, start + 1), { what: error.message })],
    };
  }
}

class Reader {
  private at = 0;
  private readonly text: string;
  private readonly spanOf: Text["spanOf"];
  /** Tables that a head has named: a second head of the same name is refused. */
  private readonly named = new Set<Table>();
  /** Tables and lists that stand on one line are complete there. */
  private readonly closed = new Set<Located>();

  constructor({ text, spanOf }: Text) {
    this.text = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
    this.spanOf = spanOf;
  }

  document(): Located {
    const root: Table = { kind: "map", entries: [], span: this.spanOf(0, this.text.length) };
    let table = root;
    for (this.blank(true); this.at < this.text.length; this.blank(true)) {
      if (this.text[this.at] === "[") table = this.head(root);
      else this.pair(table);
      this.blank(false);
      if (this.at < this.text.length && !/[\r\n]/.test(this.text[this.at] as string))
        throw new Wrong(this.at, "more text behind a value");
    }
    return root;
  }

  /** `[a.b]` goes on in that table, `[[a.b]]` in a new one at the end of its list. */
  private head(root: Table): Table {
    const start = this.at;
    const isList = this.text.startsWith("[[", this.at);
    this.at += isList ? 2 : 1;
    const keys = this.keys();
    const close = isList ? "]]" : "]";
    if (!this.text.startsWith(close, this.at)) throw new Wrong(this.at, `no ${close} behind the name of a table`);
    this.at += close.length;
    const last = keys.at(-1) as Key;
    const parent = keys.slice(0, -1).reduce((inner, key) => this.within(inner, key), root);
    const fresh = (): Table => ({ kind: "map", entries: [], span: this.spanOf(start, this.at) });
    if (isList) {
      const found = parent.entries.find(({ key }) => key === last.name)?.value;
      const made = fresh();
      if (found === undefined) {
        const value: Located = { kind: "list", items: [made], span: made.span };
        parent.entries.push({ key: last.name, keySpan: last.span, value });
      } else if (found.kind === "list" && !this.closed.has(found)) (found.items as Located[]).push(made);
      else throw new Wrong(start, `${last.name} is a value already`);
      return made;
    }
    const table = this.within(parent, last);
    if (this.named.has(table))
      throw new Wrong(start, `the table ${keys.map(({ name }) => name).join(".")} stands twice`);
    this.named.add(table);
    return table;
  }

  /** The table of that name, made where it is missing; of a list of tables the last. */
  private within(parent: Table, { name, span }: Key): Table {
    const found = parent.entries.find(({ key }) => key === name)?.value;
    if (found === undefined) {
      const made: Table = { kind: "map", entries: [], span };
      parent.entries.push({ key: name, keySpan: span, value: made });
      return made;
    }
    const inner = found.kind === "list" && !this.closed.has(found) ? found.items.at(-1) : found;
    if (inner?.kind !== "map" || this.closed.has(inner)) throw new Wrong(this.at - 1, `${name} is a value already`);
    return inner as Table;
  }

  private pair(table: Table): void {
    const start = this.at;
    const keys = this.keys();
    if (this.text[this.at] !== "=") throw new Wrong(this.at, "no = behind a name");
    this.at++;
    this.blank(false);
    const value = this.value(0);
    const last = keys.at(-1) as Key;
    const parent = keys.slice(0, -1).reduce((inner, key) => this.within(inner, key), table);
    if (parent.entries.some(({ key }) => key === last.name)) throw new Wrong(start, `${last.name} stands twice`);
    parent.entries.push({ key: last.name, keySpan: last.span, value });
    if (table.span.end < value.span.end && table.span.source === value.span.source)
      table.span = { ...table.span, end: value.span.end };
  }

  private keys(): readonly Key[] {
    const found: Key[] = [];
    for (;;) {
      this.blank(false);
      const start = this.at;
      const quote = this.text[start];
      const name = quote === '"' || quote === "'" ? this.quoted(false) : /[\w-]*/y;
      if (typeof name === "string") found.push({ name, span: this.spanOf(start, this.at) });
      else {
        name.lastIndex = start;
        const word = name.exec(this.text)?.[0] ?? "";
        if (word === "") throw new Wrong(start, "no name where one belongs");
        this.at += word.length;
        found.push({ name: word, span: this.spanOf(start, this.at) });
      }
      this.blank(false);
      if (this.text[this.at] !== ".") return found;
      this.at++;
    }
  }

  private value(depth: number): Located {
    if (depth > deepest) throw new Wrong(this.at, `more than ${deepest} brackets within each other`);
    const start = this.at;
    const first = this.text[start];
    if (first === "[") return this.list(depth);
    if (first === "{") return this.inline(depth);
    const value = first === '"' || first === "'" ? this.quoted(true) : this.word();
    return { kind: "scalar", value, span: this.spanOf(start, this.at) };
  }

  private list(depth: number): Located {
    const start = this.at++;
    const items: Located[] = [];
    for (this.blank(true); this.text[this.at] !== "]"; this.blank(true)) {
      items.push(this.value(depth + 1));
      this.blank(true);
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== "]") throw new Wrong(this.at, "no , and no ] behind a value of a list");
    }
    this.at++;
    const made: Located = { kind: "list", items, span: this.spanOf(start, this.at) };
    this.closed.add(made);
    return made;
  }

  private inline(depth: number): Located {
    const start = this.at++;
    const made: Table = { kind: "map", entries: [], span: this.spanOf(start, start + 1) };
    for (this.blank(false); this.text[this.at] !== "}"; this.blank(false)) {
      if (depth > deepest) throw new Wrong(this.at, `more than ${deepest} brackets within each other`);
      this.pair(made);
      this.blank(false);
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== "}") throw new Wrong(this.at, "no , and no } behind a value of a table");
    }
    this.at++;
    made.span = this.spanOf(start, this.at);
    this.closed.add(made);
    return made;
  }

  /** A string in its quotes; three of them hold lines too. */
  private quoted(lines: boolean): string {
    const start = this.at;
    const quote = this.text[start] as string;
    const long = lines && this.text.startsWith(quote.repeat(3), start);
    const close = long ? quote.repeat(3) : quote;
    let end = start + close.length;
    for (; !this.text.startsWith(close, end); end++) {
      if (end >= this.text.length || (!long && this.text[end] === "\n"))
        throw new Wrong(start, "a string that is not closed");
      if (quote === '"' && this.text[end] === "\\") end++;
    }
    while (long && this.text[end + close.length] === quote) end++;
    this.at = end + close.length;
    const inner = this.text.slice(start + close.length, end).replace(long ? /^\r?\n/ : /(?!)/, "");
    return quote === "'" ? inner : unescaped(inner);
  }

  /** `true`, a number or a date. */
  private word(): Scalar {
    const word = /[\w.+:-]+/y;
    word.lastIndex = this.at;
    const text = word.exec(this.text)?.[0] ?? "";
    const value = scalar(text);
    if (value === undefined)
      throw new Wrong(
        this.at,
        text === "" ? "no value where one belongs" : `${text} is no value: strings stand in quotes`,
      );
    this.at += text.length;
    return value;
  }

  private blank(lines: boolean): void {
    const space = lines ? /(?:[ \t\r\n]|#[^\n]*)*/y : /[ \t]*(?:#[^\n]*)?/y;
    space.lastIndex = this.at;
    this.at += space.exec(this.text)?.[0].length ?? 0;
  }
}

function scalar(text: string): Scalar | undefined {
  if (text === "true" || text === "false") return text === "true";
  const plain = text.replace(/(?<=\w)_(?=\w)/g, "");
  if (/^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain)) return Number(plain);
  if (/^0(?:x[\dA-Fa-f]+|o[0-7]+|b[01]+)$/.test(plain)) return Number(plain);
  if (/^[+-]?(?:inf|nan)$/.test(plain)) return plain;
  return /^\d{4}-\d\d-\d\d(?:$|[Tt])|^\d\d:\d\d/.test(text) ? text : undefined;
}

const escapes: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\u001B" };

function unescaped(text: string): string {
  return text
    .replace(/\\[ \t]*\r?\n\s*/g, "")
    .replace(/\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|x([\dA-Fa-f]{2})|([^]))/g, (_, four, eight, two, one) => {
      const code = Number.parseInt(four ?? eight ?? two ?? "", 16);
      if (Number.isNaN(code)) return escapes[one as string] ?? (one as string);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "\uFFFD";
    });
}
