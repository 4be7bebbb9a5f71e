/** What the tree knows about the text and its signs alone do not say. */
import type { Span } from "../source/source.ts";
import type { Block, Expression, File, Match, Name } from "../syntax/ast.ts";
import { type Lexeme, lexemesOf } from "./lexeme.ts";
import { type AnyNode, nodesIn } from "./nodes.ts";

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
  const nodes = nodesIn(statements);
  const atoms = nodes.filter((node) => node.kind === "number" || node.kind === "string" || isQuoted(node));
  const lexemes = lexemesOf(source.text, new Map(atoms.map(({ span }) => [span.start, span])));
  if (lexemes === null) return null;
  const signs = new Set(nodes.flatMap((node) => (node.kind === "unary" && node.op === "-" ? [node.span.start] : [])));
  const marks: Making = {
    lexemes: signsLast(lexemes, signs),
    ...{ starts: new Set(), tight: new Set(), glued: new Set(), unary: new Set() },
    ...{ breaks: new Map(), alignments: new Map() },
  };
  const places = placesIn(lexemes);
  for (const node of nodes) mark(node, marks, places);
  return marks;
}

/** A comment between a sign and its number would leave the sign alone at the end of a line, or of a list's item: it goes before the sign. */
function signsLast(lexemes: readonly Lexeme[], signs: ReadonlySet<number>): readonly Lexeme[] {
  const found: Lexeme[] = [];
  let held: Lexeme[] = [];
  for (const lexeme of lexemes) {
    if (signs.has(lexeme.start)) held.push(lexeme);
    else if (lexeme.kind === "comment") found.push(lexeme);
    else {
      found.push(...held, lexeme);
      held = [];
    }
  }
  return found;
}

const isQuoted = (node: AnyNode): boolean => node.kind === "name" && node.quoted;

interface Making extends Marks {
  readonly starts: Set<number>;
  readonly tight: Set<number>;
  readonly glued: Set<number>;
  readonly unary: Set<number>;
  readonly breaks: Map<number, number>;
  readonly alignments: Map<number, Alignment>;
}

/** What a node itself says; what is in it comes later. */
function mark(node: AnyNode, marks: Making, places: Places): void {
  const { start } = node.span;
  const { starts, tight, glued, unary, breaks, alignments } = marks;
  const { behind } = places;
  const item = (span: Span): void => void starts.add(places.beginning(span, glued));
  switch (node.kind) {
    case "import":
      starts.add(start);
      for (const { name } of node.names) item(name.span);
      return;
    case "param":
      starts.add(start);
      for (const alias of node.aliases.slice(1)) starts.add(alias.span.start);
      return;
    case "secret":
      starts.add(start);
      alignments.set(start, { key: "secret", slots: [behind(node.name.span)] });
      return;
    case "let":
      starts.add(start);
      if (node.type === null) alignments.set(start, { key: "let", slots: [behind(node.name.span)] });
      return;
    case "fn":
      starts.add(start);
      glued.add(behind(node.name.span));
      for (const { name } of node.parameters) starts.add(name.span.start);
      return;
    case "enum":
      starts.add(start);
      for (const member of node.members) starts.add(member.span.start);
      return;
    case "block":
      starts.add(start);
      if (node.body !== null) alignments.set(start, alignmentOf(node, behind));
      return;
    case "assign":
    case "bound":
      starts.add(start);
      alignments.set(start, { key: "property", slots: [behind(lastOf(node.target).span)] });
      return;
    case "assert":
    case "expect":
      starts.add(start);
      if (node.otherwise !== null) breaks.set(behind(node.condition.span), clause);
      return;
    case "test":
      starts.add(start);
      return;
    case "ratio_type":
      tight.add(behind(node.numerator.span));
      return;
    case "union_type":
      for (const member of node.members.slice(0, -1)) breaks.set(behind(member.span), branch);
      return;
    case "call":
      glued.add(behind(node.callee.span));
      for (const argument of node.arguments) item(argument.span);
      return;
    case "argument":
      if (node.name !== null) alignments.set(start, { key: "property", slots: [behind(node.name.span)] });
      return;
    case "index":
      glued.add(behind(node.object.span));
      return;
    case "list":
      for (const { span } of node.items) item(span);
      return;
    case "comprehension":
      breaks.set(behind(node.element.span), clause);
      return;
    case "range":
      if (isPlain(node.from) && (node.to.kind === "number" || isPlain(node.to))) tight.add(behind(node.from.span));
      return;
    case "unary":
      if (node.op === "-") unary.add(start);
      return;
    case "binary":
      breaks.set(behind(node.left.span), looseness[node.op] ?? comparison);
      return;
    case "if":
      breaks.set(behind(node.condition.span), branch);
      breaks.set(behind(node.then.span), branch);
      return;
    case "match":
      return markArms(node, marks, places);
    default:
      return;
  }
}

function alignmentOf(block: Block, behind: Places["behind"]): Alignment {
  const clauses = [block.extends, ...block.after, block.on].filter((path) => path !== null);
  const first = block.name ?? lastOf(block.head);
  const slots = [behind((clauses.length === 0 ? first : lastOf(clauses.at(-1) ?? block.head)).span)];
  if (block.extends !== null) slots.unshift(behind(first.span));
  const word = block.name === null ? "" : block.head.map((name) => name.text).join(".");
  const said = [word, block.extends !== null, block.after.length, block.on !== null].join(" ");
  return { key: `block ${said}`, slots };
}

function markArms({ arms, otherwise }: Match, { starts, breaks, alignments }: Making, places: Places): void {
  for (const { patterns, span } of arms) {
    starts.add(span.start);
    for (const pattern of patterns.slice(0, -1)) breaks.set(places.behind(pattern.span), branch);
    const last = patterns.at(-1);
    if (last !== undefined) alignments.set(span.start, { key: "arm", slots: [places.behind(last.span)] });
  }
  const otherwiseArm = otherwise === null ? null : places.elseBefore(otherwise.span);
  if (otherwiseArm === null) return;
  starts.add(otherwiseArm.word);
  alignments.set(otherwiseArm.word, { key: "arm", slots: [otherwiseArm.arrow] });
}

interface Places {
  /** Where the first lexeme behind a value begins; round brackets around the value belong to it. */
  readonly behind: (span: Span) => number;
  /** Where an item begins: round brackets around it stand before what the tree calls the item. */
  readonly beginning: (span: Span, glued: ReadonlySet<number>) => number;
  /** The `else =>` of what stands there. */
  readonly elseBefore: (span: Span) => { readonly word: number; readonly arrow: number } | null;
}

function placesIn(lexemes: readonly Lexeme[]): Places {
  const all = lexemes.filter((lexeme) => lexeme.kind !== "comment");
  /** Index of the first lexeme that begins at or behind an offset. */
  const indexOf = (offset: number): number => {
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle]?.start ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    behind: (span) => {
      let at = indexOf(span.end);
      while (all[at]?.text === ")") at += 1;
      return all[at]?.start ?? -1;
    },
    beginning: (span, glued) => {
      let at = indexOf(span.start);
      while (all[at - 1]?.text === "(" && !glued.has(all[at - 1]?.start ?? -1)) at -= 1;
      return all[at]?.start ?? span.start;
    },
    elseBefore: (span) => {
      let at = indexOf(span.start) - 1;
      while (all[at]?.text === "(") at -= 1;
      const [word, arrow] = [all[at - 1], all[at]];
      return arrow?.text === "=>" && word !== undefined ? { word: word.start, arrow: arrow.start } : null;
    },
  };
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
