/** Derived figures beside what was written: parameters, steps, device-hours, and the value that won over an amended one. */
import { type InlayHint, InlayHintKind, InlayHintRequest } from "vscode-languageserver";
import { positionAt, type Span } from "../../dsl/source/source.ts";
import { besideText, type View, viewOf } from "../../dsl/lsp/feature.ts";
import type { Occurrence } from "../../dsl/lsp/meaning/meaning.ts";
import { offsetAt, textOf } from "../../dsl/lsp/positions.ts";
import { describeOrigin } from "../../dsl/lsp/describe.ts";
import { instanceOf, valueAt } from "../../dsl/lsp/value-at.ts";
import { everyNode } from "../../dsl/lsp/nodes.ts";
import type { Module } from "../../dsl/symbols/symbol.ts";
import { show } from "../../dsl/types/value.ts";
import type { Compilation } from "../compile.ts";
import { registry } from "../kinds/index.ts";
import { count } from "../passes/size/count.ts";
import { deviceHours, hours } from "./figures.ts";
import { modelFigures } from "../sized-models.ts";
import { stageOf } from "./stage-of.ts";
import type { Workspace } from "../../dsl/lsp/workspace.ts";
import { inTable } from "../../dsl/in-table.ts";
import { isVariant } from "../../dsl/is-variant.ts";

export const inlayHints = besideText(
  InlayHintRequest.type,
  { inlayHintProvider: true },
  (workspace: Workspace<Compilation>, { textDocument, range }): InlayHint[] | null => {
    const view = viewOf(workspace, textDocument.uri);
    const compilation = view === null ? null : workspace.analysis(view.path);
    if (view === null || compilation === null) return null;
    const { source } = view.module.file;
    const [from, to] = [offsetAt(source, range.start), offsetAt(source, range.end)];
    const values = valuesOf(view);
    const found = view.occurrences
      .filter(({ span }) => span.start >= from && span.end <= to)
      .flatMap((occurrence) => hintFor(occurrence, values, compilation) ?? []);
    // Of a value that does not hold, its parts need not be told as well.
    const overruled = found.flatMap(({ over }) => over ?? []);
    return found
      .filter(({ over }) => !overruled.some((whole) => over !== null && whole !== over && isWithin(over, whole)))
      .map(({ shown }) => shown);
  },
);

/** The value that is given to each name, by where the name ends. */
function valuesOf(view: View): ReadonlyMap<number, Span> {
  const found = new Map<number, Span>();
  for (const node of everyNode(view.module.file)) {
    if (node.kind === "call")
      for (const { name, value } of node.arguments) if (name !== null) found.set(name.span.end, value.span);
    if (node.kind === "assign") found.set(node.target[node.target.length - 1]?.span.end ?? 0, node.value.span);
  }
  return found;
}

function hintFor(
  { meaning, owner, role, span, path }: Occurrence,
  values: ReadonlyMap<number, Span>,
  compilation: Compilation,
): Hint | null {
  const { program } = compilation;
  if (meaning.kind === "auto" && owner !== null) {
    const block = instanceOf(program, owner);
    const model = block?.kind.name === "model" ? modelFigures(compilation, block) : null;
    const end = values.get(values.size === 0 ? 0 : lastBefore(values, span.start))?.end ?? span.end;
    if (model === null || meaning.constructor === null) return autoValue(span, path, owner, compilation);
    return hint(span, end, `${count(model.parameters.total)} params: ${model.layers} x ${model.d_model}`);
  }
  if (role === "declaration" && meaning.kind === "symbol" && owner !== null) {
    const stage = stageOf(owner, compilation);
    if (stage === undefined) return null;
    const { total, layout } = stage;
    const where = layout.world === 1 ? "" : ` on ${layout.world} ranks`;
    return hint(span, span.end, `${hours(total.hours)}${where}, ${deviceHours(total.gpu_hours, compilation, "h")}`);
  }
  const isArgument = role === "reference" && meaning.kind === "parameter";
  if ((role !== "amendment" && !isArgument) || owner === null) return null;
  const value = values.get(span.end);
  if (value === undefined) return null;
  const final = valueAt(program, owner, isArgument ? [...path, meaning.name] : path);
  const wonBy = final?.origin.kind === "written" ? final.origin.span : null;
  const isHere = wonBy !== null && isWithin(wonBy, value);
  if (!isHere && isVariantPart(value, program.root)) return null;
  if (final !== null && !isHere && wonBy !== null)
    return { ...hint(value, value.end, show(final.value), describeOrigin(final.origin)), over: value };
  if (meaning.kind === "property" && meaning.of.name === "stage" && meaning.name === "length") {
    const stage = stageOf(owner, compilation);
    if (stage !== undefined)
      return /\bsteps?$/.test(textOf(value))
        ? hint(value, value.end, `${count(stage.total.tokens)} tokens`)
        : hint(value, value.end, `${stage.total.steps.toLocaleString("en")} steps`);
  }
  return null;
}

/** What is written here is not what holds where another layer, or an amendment, says something else. */
const isWithin = (span: Span, value: Span): boolean =>
  span.source.path === value.source.path && span.start >= value.start && span.end <= value.end;

/** A preset that nobody chose says nothing, and is not overruled. */
const isVariantPart = (value: Span, { file }: Module): boolean =>
  file.statements.some(
    (statement) =>
      statement.kind === "block" &&
      isVariant(inTable(registry.kinds, statement.head[0].text)) &&
      isWithin(value, statement.span),
  );

/** `heads = auto`: what it came to. */
function autoValue(
  span: Span,
  path: readonly string[],
  owner: NonNullable<Occurrence["owner"]>,
  compilation: Compilation,
) {
  const block = instanceOf(compilation.program, owner);
  const name = path.at(-1) ?? "";
  const model = block?.kind.name === "model" ? modelFigures(compilation, block) : null;
  const value = model === null ? undefined : (model as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === "object" || value === undefined ? null : hint(span, span.end, String(value));
}

const lastBefore = (values: ReadonlyMap<number, Span>, offset: number): number =>
  Math.max(...[...values.keys()].filter((end) => end <= offset), 0);

interface Hint {
  readonly shown: InlayHint;
  /** A value that something else won over. */
  readonly over: Span | null;
}

function hint(span: Span, end: number, label: string, tooltip?: string): Hint {
  const shown: InlayHint = {
    position: positionAt(span.source, end),
    label: `→ ${label}`,
    kind: InlayHintKind.Type,
    paddingLeft: true,
    ...(tooltip === undefined ? {} : { tooltip }),
  };
  return { shown, over: null };
}
