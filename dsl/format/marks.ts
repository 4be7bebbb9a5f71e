/** What the tree knows about the text and its signs alone do not say. */
import type { Source, Span } from "../source/source.ts";
import type { Argument, Expression, File, Match, Name, Path, Statement, TypeExpression } from "../syntax/ast.ts";
import { type Lexeme, lexemesOf } from "./lexeme.ts";

/** How a member lines up with members like it. */
export interface Alignment {
  /** Members of one key line up with each other. */
  readonly key: string;
  /** Where the signs begin that stand below each other. */
  readonly slots: readonly number[];
}

export interface Marks {
  readonly lexemes: readonly Lexeme[];
  /** Where members, items, arguments and arms begin. */
  readonly starts: ReadonlySet<number>;
  /** Signs without a blank before and behind: `..` of plain numbers, `/` of a type. */
  readonly tight: ReadonlySet<number>;
  /** Brackets without a blank before: of calls and indexes. */
  readonly glued: ReadonlySet<number>;
  /** Signs that belong to one number. */
  readonly unary: ReadonlySet<number>;
  /** Where a long line may break, and how loosely what stands there binds: the smallest number breaks first. */
  readonly breaks: ReadonlyMap<number, number>;
  readonly alignments: ReadonlyMap<number, Alignment>;
}

const looseness: Readonly<Record<string, number>> = { or: 2, and: 3, "+": 5, "-": 5, "*": 6, "/": 6, of: 6 };
const comparison = 4;
const clause = 0;
const branch = 1;

/** `null` where the text holds something that the tree does not know. */
export function marksOf({ source, statements }: File): Marks | null {
  const atoms = new Map<number, Span>();
  new Walk({ atom: (span) => atoms.set(span.start, span) }).members(statements);
  const lexemes = lexemesOf(source.text, atoms);
  if (lexemes === null) return null;
  const walk = new Walk({}, new Places(source, lexemes));
  walk.members(statements);
  return { lexemes, ...walk };
}

/** Finds lexemes by where they stand. */
class Places {
  readonly all: readonly Lexeme[];
  readonly source: Source;

  constructor(source: Source, lexemes: readonly Lexeme[]) {
    this.source = source;
    this.all = lexemes.filter((lexeme) => lexeme.kind !== "comment");
  }

  /** Index of the first lexeme that begins at or behind an offset. */
  index(offset: number): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.start ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first lexeme behind a value; round brackets around the value belong to it. */
  behind(span: Span): number {
    let at = this.index(span.end);
    while (this.all[at]?.text === ")") at += 1;
    return this.all[at]?.start ?? -1;
  }
}

interface Visitor {
  readonly atom?: (span: Span) => void;
}

class Walk {
  readonly starts = new Set<number>();
  readonly tight = new Set<number>();
  readonly glued = new Set<number>();
  readonly unary = new Set<number>();
  readonly breaks = new Map<number, number>();
  readonly alignments = new Map<number, Alignment>();
  readonly #visitor: Visitor;
  readonly #places: Places | null;

  constructor(visitor: Visitor, places: Places | null = null) {
    this.#visitor = visitor;
    this.#places = places;
  }

  members(statements: readonly Statement[]): void {
    for (const statement of statements) {
      this.starts.add(statement.span.start);
      this.#statement(statement);
    }
  }

  #statement(statement: Statement): void {
    const { start } = statement.span;
    switch (statement.kind) {
      case "import":
        this.#atom(statement.from.span);
        for (const { name } of statement.names) this.#item(name.span);
        return;
      case "param":
        this.#name(statement.name);
        for (const alias of statement.aliases.slice(1)) this.starts.add(alias.span.start);
        if (statement.type !== null) this.#type(statement.type);
        for (const { value } of statement.bounds) this.#value(value);
        if (statement.default !== null) this.#value(statement.default);
        return;
      case "secret":
        this.#align(start, "secret", this.#behind(statement.name.span));
        this.#value(statement.value);
        return;
      case "let":
        if (statement.type === null) this.#align(start, "let", this.#behind(statement.name.span));
        else this.#type(statement.type);
        this.#value(statement.value);
        return;
      case "fn":
        this.glued.add(this.#behind(statement.name.span));
        for (const { name, type, default: value } of statement.parameters) {
          this.starts.add(name.span.start);
          if (type !== null) this.#type(type);
          if (value !== null) this.#value(value);
        }
        if (statement.returns !== null) this.#type(statement.returns);
        this.#value(statement.body);
        return;
      case "enum":
        for (const member of statement.members) {
          this.starts.add(member.span.start);
          this.#name(member);
        }
        return;
      case "block":
        return this.#block(statement);
      case "assign":
      case "bound":
        this.#path(statement.target);
        this.#align(start, "property", this.#behind(lastOf(statement.target).span));
        return this.#value(statement.value);
      case "assert":
      case "expect":
        this.#value(statement.condition);
        if (statement.otherwise === null) return;
        this.#break(this.#behind(statement.condition.span), clause);
        return this.#value(statement.otherwise);
      case "test":
        this.#atom(statement.title.span);
        return this.members(statement.body);
    }
  }

  #block(block: Extract<Statement, { kind: "block" }>): void {
    this.#path(block.head);
    if (block.body === null) return;
    const clauses = [block.extends, ...block.after, block.on].filter((path) => path !== null);
    const last = lastOf(clauses.at(-1) ?? (block.name === null ? block.head : [block.name]));
    const slots = [this.#behind(last.span)];
    if (block.extends !== null) slots.unshift(this.#behind((block.name ?? lastOf(block.head)).span));
    const word = block.name === null ? "" : block.head.map((name) => name.text).join(".");
    const said = [word, block.extends !== null, block.after.length, block.on !== null].join(" ");
    this.#align(block.span.start, `block ${said}`, ...slots);
    this.members(block.body);
  }

  #type(type: TypeExpression): void {
    switch (type.kind) {
      case "named_type":
        return;
      case "ratio_type":
        this.tight.add(this.#behind(type.numerator.span));
        this.#type(type.numerator);
        return this.#type(type.denominator);
      case "list_type":
        return this.#type(type.element);
      case "union_type":
        for (const [index, member] of type.members.entries()) {
          if (index < type.members.length - 1) this.#break(this.#behind(member.span), branch);
          this.#type(member);
        }
        return;
      case "literal_type":
        return this.#atom(type.value.span);
    }
  }

  #value(value: Expression): void {
    switch (value.kind) {
      case "number":
      case "string":
        return this.#atom(value.span);
      case "bool":
      case "none":
      case "auto":
      case "reference":
      case "missing":
        return;
      case "member":
        return this.#value(value.object);
      case "call":
        this.#value(value.callee);
        this.glued.add(this.#behind(value.callee.span));
        for (const argument of value.arguments) this.#argument(argument);
        return;
      case "index":
        this.#value(value.object);
        this.glued.add(this.#behind(value.object.span));
        return this.#value(value.index);
      case "list":
        for (const item of value.items) {
          this.#item(item.span);
          this.#value(item);
        }
        return;
      case "comprehension":
        this.#value(value.element);
        this.#break(this.#behind(value.element.span), clause);
        this.#value(value.over);
        if (value.condition !== null) this.#value(value.condition);
        return;
      case "record":
        return this.members(value.members);
      case "range":
        if (isPlain(value.from) && (value.to.kind === "number" || isPlain(value.to)))
          this.tight.add(this.#behind(value.from.span));
        this.#value(value.from);
        return this.#value(value.to);
      case "unary":
        if (value.op === "-") this.unary.add(value.span.start);
        return this.#value(value.operand);
      case "binary":
        this.#break(this.#behind(value.left.span), looseness[value.op] ?? comparison);
        this.#value(value.left);
        return this.#value(value.right);
      case "if":
        this.#break(this.#behind(value.condition.span), branch);
        this.#break(this.#behind(value.then.span), branch);
        for (const part of [value.condition, value.then, value.else]) this.#value(part);
        return;
      case "match":
        return this.#match(value);
      case "with":
        this.#value(value.base);
        return this.members(value.body);
    }
  }

  #argument(argument: Argument): void {
    this.#item(argument.span);
    if (argument.name !== null) this.#align(argument.span.start, "property", this.#behind(argument.name.span));
    this.#value(argument.value);
  }

  #match({ subject, arms, otherwise }: Match): void {
    this.#value(subject);
    for (const { patterns, body, span } of arms) {
      this.starts.add(span.start);
      for (const [index, pattern] of patterns.entries()) {
        this.#value(pattern);
        if (index < patterns.length - 1) this.#break(this.#behind(pattern.span), branch);
        else this.#align(span.start, "arm", this.#behind(pattern.span));
      }
      this.#value(body);
    }
    if (otherwise === null) return;
    const at = this.#before(otherwise.span, "=>");
    const arrow = this.#places?.all[at];
    const word = this.#places?.all[at - 1];
    if (arrow !== undefined && word !== undefined) {
      this.starts.add(word.start);
      this.#align(word.start, "arm", arrow.start);
    }
    this.#value(otherwise);
  }

  #path(path: Path): void {
    for (const name of path) this.#name(name);
  }

  #name(name: Name): void {
    if (name.quoted) this.#atom(name.span);
  }

  #atom(span: Span): void {
    this.#visitor.atom?.(span);
  }

  #behind(span: Span): number {
    return this.#places?.behind(span) ?? -1;
  }

  /** Round brackets around an item begin before what the tree calls the item. */
  #item(span: Span): void {
    if (this.#places === null) return;
    let at = this.#places.index(span.start);
    while (this.#places.all[at - 1]?.text === "(" && !this.glued.has(this.#places.all[at - 1]?.start ?? -1)) at -= 1;
    this.starts.add(this.#places.all[at]?.start ?? span.start);
  }

  #before(span: Span, text: string): number {
    if (this.#places === null) return -1;
    let at = this.#places.index(span.start) - 1;
    while (this.#places.all[at]?.text === "(") at -= 1;
    return this.#places.all[at]?.text === text ? at : -1;
  }

  #break(at: number, level: number): void {
    this.breaks.set(at, level);
  }

  #align(start: number, key: string, ...slots: readonly number[]): void {
    this.alignments.set(start, { key, slots });
  }
}

/** A range of such ends is read as one thing: `1..64 samples`; with a unit in the middle it is not. */
function isPlain(value: Expression): boolean {
  switch (value.kind) {
    case "number":
      return value.unit === null || value.unit.numerator[0] === "%";
    case "reference":
      return true;
    case "member":
      return isPlain(value.object);
    case "unary":
      return value.op === "-" && isPlain(value.operand);
    default:
      return false;
  }
}

function lastOf(path: readonly [Name, ...Name[]] | readonly Name[]): Name {
  const last = path.at(-1);
  if (last === undefined) throw new RangeError("a path has a name");
  return last;
}
