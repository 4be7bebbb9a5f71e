/** What hover says of a value that stands for nothing but itself, and of a word of the grammar. */
import type { Block, Import, NumberLiteral, StringLiteral } from "../syntax/ast.ts";
import { conversions, spelledOut } from "./conversions.ts";
import { describe } from "./describe.ts";
import type { View } from "./feature.ts";
import { keywordDoc } from "./keywords.ts";
import type { Occurrence } from "./meaning/meaning.ts";
import { occurrenceAt } from "./meaning/occurrences.ts";
import { type AnyNode, nodesAt } from "./nodes.ts";
import { contains, textOf } from "./positions.ts";
import { takerAt } from "./taker.ts";
import type { Span } from "../source/source.ts";

const literals = new Set(["number", "string", "bool", "none", "reference", "member"]);

/** Longer texts are read where they stand. */
const longest = 60;

/** The innermost value at an offset that nothing else is said of, with what it is given to. */
export function literalAt(view: View, offset: number) {
  const node = nodesAt(view.module.file, offset).findLast(({ kind }) => kind !== "name" && kind !== "unit");
  if (node === undefined || !literals.has(node.kind) || !contains(node.span, offset)) return null;
  return { node, taker: takerAt(view, offset), unit: unitOf(view, node) };
}

/** The occurrence of a number's unit, of which more may be known. */
function unitOf({ occurrences }: View, node: AnyNode): Occurrence | null {
  const { unit } = node as NumberLiteral;
  return node.kind !== "number" || unit === null ? null : occurrenceAt(occurrences, unit.span.start);
}

export function literalText(node: AnyNode, taker: Occurrence | null): string[] {
  const text = textOf(node.span).replace(/\s+/g, " ");
  const said = taker === null ? null : describe(taker.meaning);
  const shown = ["```cdr", text.length > longest ? `${text.slice(0, longest)}…` : text, "```"].join("\n");
  return [
    shown,
    ...numberLines(node),
    ...(said === null ? [] : [`\`${said.title}\`${said.doc === null ? "" : `: ${said.doc}`}`]),
    ...(said === null ? plainType(node) : said.type === null ? [] : [`*${said.type}*`]),
  ];
}

const plain: Readonly<Record<string, string>> = { number: "a number", string: "a text", bool: "true or false" };

const plainType = ({ kind }: AnyNode): string[] => (plain[kind] === undefined ? [] : [`*${plain[kind]}*`]);

/** A number in full and in other units. */
export function numberLines(node: AnyNode | undefined): string[] {
  if (node?.kind !== "number") return [];
  const literal = node as NumberLiteral;
  const full = spelledOut(literal);
  const others = conversions(literal).map(({ text }) => `- ${text}`);
  return [...(full === null ? [] : [`\`${full}\``]), ...(others.length === 0 ? [] : [others.join("\n")])];
}

/** A word of the grammar, or the file that an import names. */
export function grammarHover(
  { module, occurrences }: View,
  offset: number,
): { readonly text: string; readonly span: Span } | null {
  const { source } = module.file;
  const nodes = nodesAt(module.file, offset);
  const string = nodes.at(-1);
  const around = nodes.at(-2);
  if (string?.kind === "string" && around?.kind === "import")
    return { text: fileText(string as StringLiteral, around as Import, module.names), span: string.span };
  const named = string?.kind === "name" ? nameHover(string, nodes, occurrences) : null;
  if (named !== null) return named;
  const before = /\w*$/.exec(source.text.slice(Math.max(0, offset - 40), offset))?.[0] ?? "";
  const behind = /^\w*/.exec(source.text.slice(offset, offset + 40))?.[0] ?? "";
  const doc = keywordDoc(before + behind);
  const isTitle = string?.kind === "string" && around?.kind === "test";
  if (isTitle) return { text: ["```cdr", "test", "```", "", keywordDoc("test")].join("\n"), span: string.span };
  const isText = module.file.source.text.slice(0, offset).split("\n").at(-1)?.includes("//") === true;
  if (doc === null || isText || string?.kind === "string") return null;
  const span = { source, start: offset - before.length, end: offset + behind.length };
  return { text: ["```cdr", before + behind, "```", "", doc].join("\n"), span };
}

/** What Python calls a parameter, or a key of a block that takes any. */
function nameHover(name: AnyNode, nodes: readonly AnyNode[], all: readonly Occurrence[]) {
  const around = nodes.at(-2);
  const said = (words: string) => ({
    text: ["```cdr", textOf(name.span), "```", "", words].join("\n"),
    span: name.span,
  });
  if (around?.kind === "param") return said("its name in Python");
  const block = nodes.findLast((node) => node.kind === "block" && node !== around) as Block | undefined;
  if (block === undefined || (around?.kind !== "assign" && around?.kind !== "block")) return null;
  const meaning = occurrenceAt(all, block.head[0].span.start)?.meaning;
  // What a raw block takes is known by the schema of its engine.
  const kind = meaning?.kind === "group" ? meaning.block : null;
  return kind?.open === true ? said(`a key of \`${kind.name}\`: ${kind.doc}`) : null;
}

function fileText(from: StringLiteral, { names, as }: Import, all: View["module"]["names"]): string {
  const [first] = names;
  const symbol = all.get((as ?? first?.alias ?? first?.name)?.text ?? "");
  const file = symbol?.kind === "namespace" ? symbol.of.file : symbol?.module.file;
  const shown = ["```cdr", `import ${textOf(from.span)}`, "```"].join("\n");
  return file?.doc == null ? shown : `${shown}\n\n${file.doc}`;
}
