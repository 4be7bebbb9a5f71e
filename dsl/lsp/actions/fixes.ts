import { unknownName } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import type { File } from "../../syntax/ast.ts";
import type { View } from "../feature.ts";
import { nodesAt } from "../nodes.ts";
import type { Workspace } from "../workspace.ts";
import type { Action, Offer } from "./action.ts";

/** So many are tried before they are offered: each is one more reading of the file. */
const most = 16;

/** Every fix that a diagnostic here offers, but those that would leave an error where they mend. */
export const fixes: Offer = ({ view, start, end, workspace }) => {
  const diagnostics = workspace.analysis(view.path)?.diagnostics ?? [];
  let tried = 0;
  return diagnostics
    .filter(({ span }) => span.source.path === view.path && span.start <= end && start <= span.end)
    .flatMap((mends) =>
      mends.fixes
        .filter((fix) => ++tried > most || mendsAt(view, fix, mends, diagnostics, workspace))
        .map(({ title, edits }): Action => ({ title, kind: "quickfix", edits, mends })),
    );
};

/**
 * Whether fewer errors stand in the members that a fix changes than before, and no new ones of the syntax on their
 * lines; elsewhere may stand what the error has hidden.
 */
function mendsAt(
  { path, module }: View,
  { edits }: Fix,
  mends: Diagnostic,
  before: Known,
  workspace: Workspace,
): boolean {
  const text = workspace.text(path);
  const own = edits.filter(({ span }) => span.source.path === path).toSorted((a, b) => a.span.start - b.span.start);
  if (text === undefined || own.length < edits.length || own.length === 0) return true;
  let after = "";
  let read = 0;
  const places = own.map(({ span, newText }) => {
    after += text.slice(read, span.start);
    const start = after.length;
    after += newText;
    read = span.end;
    return { start, end: after.length };
  });
  after += text.slice(read);
  const trial = workspace.trial(new Map([[path, after]]));
  const now = trial.diagnostics(path);
  const spans = own.map(({ span }) => span);
  const faults = (all: Known, where: readonly Place[]): number =>
    all.filter((d) => d.severity === "error" && d.span.source.path === path && touches(d.span, where)).length;
  // What an error of the syntax has hidden may well come out, but no name of the fix's own making.
  const isOwn = (d: Diagnostic): boolean => !isSyntax(mends) || isSyntax(d) || d.code === unknownName.code;
  const members = (file: File, at: readonly Place[]): readonly Place[] => at.map((place) => memberAt(file, place));
  return (
    faults(now.filter(isOwn), members(trial.module(path).file, places)) <
      Math.max(1, faults(before.filter(isOwn), members(module.file, spans))) &&
    faults(now.filter(isSyntax), linesOf(after, places)) <
      Math.max(1, faults(before.filter(isSyntax), linesOf(text, spans)))
  );
}

const isSyntax = ({ code }: Diagnostic): boolean => code.startsWith("cdr/syntax-");

/** The `name = value` around a place. */
function memberAt(file: File, place: Place): Place {
  const around = nodesAt(file, place.start).findLast(({ kind }) => kind === "assign" || kind === "bound");
  return around === undefined || around.span.end < place.end ? place : around.span;
}

type Known = readonly Diagnostic[];

interface Place {
  readonly start: number;
  readonly end: number;
}

const touches = (span: Place, places: readonly Place[]): boolean =>
  places.some(({ start, end }) => span.start <= end && start <= span.end);

const linesOf = (text: string, places: readonly Place[]): readonly Place[] =>
  places.map(({ start, end }) => {
    const next = text.indexOf("\n", end);
    return { start: text.lastIndexOf("\n", start - 1) + 1, end: next < 0 ? text.length : next };
  });
