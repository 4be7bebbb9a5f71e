/** Type and documentation of a word, the value that it has in the end, and where that came from. */
import { HoverRequest, MarkupKind } from "vscode-languageserver";
import { chain } from "../chain.ts";
import { conversions, spelledOut } from "../conversions.ts";
import { describe } from "../describe.ts";
import { type Feature, feature, type View, viewOf } from "../feature.ts";
import type { Occurrence } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
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
      const occurrence = occurrenceAt(view.occurrences, offset) ?? shareAt(view, offset);
      if (occurrence === null) return openHover(view, offset, open) ?? numberHover(view, offset);
      const { title, doc, type } = describe(occurrence.meaning);
      const analysis = workspace.analysis(view.path);
      const value = [
        ["```cdr", title, "```"].join("\n"),
        ...(doc === null ? [] : [doc]),
        ...(type === null ? [] : [`*${type}*`]),
        ...(analysis === null ? [] : resolved(occurrence, analysis)),
        ...(analysis === null ? [] : parts.flatMap((part) => part(occurrence, analysis))),
        ...(occurrence.meaning.kind === "unit" ? literalLines(view, offset) : []),
      ].join("\n\n");
      return { contents: { kind: MarkupKind.Markdown, value }, range: rangeOf(occurrence.span) };
    },
  );
}

/** The value of what is under the cursor, after every amendment, and what it came from. */
function resolved({ meaning, owner, path }: Occurrence, { program }: Analysis): string[] {
  const trace =
    meaning.kind === "symbol"
      ? traceAt(program, meaning.symbol, [])
      : (meaning.kind === "property" || meaning.kind === "parameter") && owner !== null
        ? traceAt(program, owner, meaning.kind === "property" ? path : withName(path, meaning.name))
        : null;
  return trace === null ? [] : [chain(trace)];
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

function numberHover(view: View, offset: number) {
  const lines = literalLines(view, offset);
  return lines.length === 0 ? null : { contents: { kind: MarkupKind.Markdown, value: lines.join("\n\n") } };
}

/** A share is more than its number: the word that stands for it is its `%`. */
function shareAt(view: View, offset: number): Occurrence | null {
  const { unit } = literalAt(view, offset) ?? {};
  return unit?.numerator[0] === "%" ? occurrenceAt(view.occurrences, unit.span.start) : null;
}

const literalAt = ({ module }: View, offset: number): NumberLiteral | undefined =>
  nodesAt(module.file, offset).findLast((node) => node.kind === "number") as NumberLiteral | undefined;

/** A number in full and in other units. */
function literalLines(view: View, offset: number): string[] {
  const literal = literalAt(view, offset);
  if (literal === undefined) return [];
  const full = spelledOut(literal);
  const others = conversions(literal).map(({ text }) => `- ${text}`);
  return [...(full === null ? [] : [`\`${full}\``]), ...(others.length === 0 ? [] : [others.join("\n")])];
}
