import { type SelectionRange, SelectionRangeRequest } from "vscode-languageserver";
import { feature, viewOf } from "../feature.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { nodesAt } from "../nodes.ts";
import { offsetAt, rangeOf } from "../positions.ts";

export const selectionRanges = feature(
  SelectionRangeRequest.type,
  { selectionRangeProvider: true },
  (workspace, { textDocument, positions }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const { file } = view.module;
    return positions.map((position): SelectionRange => {
      const offset = offsetAt(file.source, position);
      const whole = { source: file.source, start: 0, end: file.source.text.length };
      const word = occurrenceAt(view.occurrences, offset);
      const spans = [whole, ...nodesAt(file, offset).map((node) => node.span), ...(word === null ? [] : [word.span])];
      let chosen: SelectionRange | null = null;
      let last = whole;
      for (const span of spans) {
        const isInside = last.start <= span.start && span.end <= last.end;
        const isSame = last.start === span.start && last.end === span.end;
        if (chosen !== null && (!isInside || isSame)) continue;
        chosen = chosen === null ? { range: rangeOf(span) } : { range: rangeOf(span), parent: chosen };
        last = span;
      }
      return chosen ?? { range: { start: position, end: position } };
    });
  },
);
