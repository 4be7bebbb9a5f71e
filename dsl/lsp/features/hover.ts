/** Type and documentation of a word, the value that it has in the end, and where that came from. */
import { HoverRequest, MarkupKind } from "vscode-languageserver";
import { chain } from "../chain.ts";
import { describe } from "../describe.ts";
import { type Feature, feature, type View, viewOf } from "../feature.ts";
import type { Occurrence } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { grammarHover, literalAt, literalText, numberLines } from "../literal-hover.ts";
import { nodesAt } from "../nodes.ts";
import { openKey, type OpenKeys } from "../open-keys.ts";
import { openPlaceAt } from "../open-place-at.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import { traceAt } from "../value-at.ts";
import type { NumberLiteral } from "../../syntax/ast.ts";
import type { Analysis, Workspace } from "../workspace.ts";

/** More that somebody knows of a word: lines of Markdown. */
export type HoverPart<A extends Analysis> = (occurrence: Occurrence, analysis: A) => readonly string[];

export function hover<A extends Analysis>(parts: readonly HoverPart<A>[], open: OpenKeys): Feature<A> {
  return feature(
    HoverRequest.type,
    { hoverProvider: true },
    (workspace: Workspace<A>, { textDocument, position }) => {
      const view = viewOf(workspace, textDocument.uri);
      if (view === null) return null;
      const offset = offsetAt(view.module.file.source, position);
      const analysis = workspace.analysis(view.path);
      const more = (occurrence: Occurrence): string[] =>
        analysis === null ? [] : parts.flatMap((part) => part(occurrence, analysis));
      const occurrence = occurrenceAt(view.occurrences, offset) ?? shareAt(view, offset);
      if (occurrence === null)
        return openHover(view, offset, open) ?? wordHover(view, offset) ?? literalHover(view, offset, analysis, more);
      const { title, doc, type } = describe(occurrence.meaning);
      const value = [
        ["```cdr", title, "```"].join("\n"),
        ...(doc === null ? [] : [doc]),
        ...(type === null ? [] : [`*${type}*`]),
        ...(analysis === null ? [] : [...resolved(occurrence, analysis), ...amended(occurrence, analysis)]),
        ...more(occurrence),
        ...(occurrence.meaning.kind === "unit" ? numberLines(numberAt(view, offset)) : []),
      ].join("\n\n");
      return { contents: { kind: MarkupKind.Markdown, value }, range: rangeOf(occurrence.span) };
    },
  );
}

/** A value by itself: what it says in other words, what it is given to, and what holds there in the end. */
function literalHover(
  view: View,
  offset: number,
  analysis: Analysis | null,
  more: (occurrence: Occurrence) => readonly string[],
) {
  const found = literalAt(view, offset);
  if (found === null) return null;
  const { node, taker, unit } = found;
  const value = [
    ...literalText(node, taker),
    ...(unit === null ? [] : more(unit)),
    ...(analysis === null || taker === null ? [] : resolved(taker, analysis)),
    ...(taker === null ? [] : more(taker)),
  ];
  if (value.length === 1) return null;
  return { contents: { kind: MarkupKind.Markdown, value: value.join("\n\n") }, range: rangeOf(node.span) };
}

function wordHover(view: View, offset: number) {
  const found = grammarHover(view, offset);
  if (found === null) return null;
  return { contents: { kind: MarkupKind.Markdown, value: found.text }, range: rangeOf(found.span) };
}

/** The value of what is under the cursor, after every amendment, and what it came from. */
function resolved({ meaning, owner, path }: Occurrence, { program }: Analysis): string[] {
  const trace =
    meaning.kind === "symbol"
      ? traceAt(program, meaning.symbol, [])
      : meaning.kind === "local" && meaning.of !== undefined
        ? traceAt(program, meaning.of.symbol, meaning.of.path)
        : (meaning.kind === "property" || meaning.kind === "parameter") && owner !== null
          ? traceAt(program, owner, meaning.kind === "property" ? path : withName(path, meaning.name))
          : null;
  return trace === null ? [] : [chain(trace)];
}

/** A kind's word alone amends every block of the kind. */
function amended({ meaning, role }: Occurrence, { program }: Analysis): string[] {
  if (meaning.kind !== "block_kind" || role !== "amendment") return [];
  const names = program.blocks.filter((b) => b.kind.name === meaning.block.name && !b.abstract && b.parent === null);
  return names.length === 0 ? [] : [`amends ${names.map(({ name }) => `\`${name ?? ""}\``).join(", ")}`];
}

const withName = (path: readonly string[], name: string): readonly string[] =>
  path.at(-1) === name ? path : [...path, name];

/** A key of an open block, as who reads the block knows it. */
function openHover({ module }: View, offset: number, open: OpenKeys) {
  const at = openPlaceAt(module.file, offset);
  const key = at === null ? null : openKey(open, at);
  if (at === null || key === null) return null;
  return { contents: { kind: MarkupKind.Markdown, value: key.doc }, range: rangeOf(at.span) };
}

/** A share is more than its number: the word that stands for it is its `%`. */
function shareAt(view: View, offset: number): Occurrence | null {
  const unit = numberAt(view, offset)?.unit;
  return unit?.numerator[0] === "%" ? occurrenceAt(view.occurrences, unit.span.start) : null;
}

const numberAt = ({ module }: View, offset: number): NumberLiteral | undefined =>
  nodesAt(module.file, offset).findLast((node) => node.kind === "number") as NumberLiteral | undefined;
