/** Writes the name of each argument that a call lacks; its value is left to be written, as with properties. */
import { argumentMissing } from "../../diagnostics/catalog/calls.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Argument, Call, Expression } from "../../syntax/ast.ts";
import type { View } from "../feature.ts";
import type { Meaning } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { nodesAt } from "../nodes.ts";
import type { Action, Offer } from "./action.ts";
import { escaped } from "./escaped.ts";

export const addArgument: Offer = ({ view, start, end, workspace }) => {
  const missing = (workspace.analysis(view.path)?.diagnostics ?? []).filter(
    ({ code, span }) => code === argumentMissing.code && span.source.path === view.path,
  );
  const calls = new Map(missing.map((mends) => [mends.span.start, mends]));
  return [...calls.values()].flatMap((mends) => offers(mends, start, end, view));
};

function offers(mends: Diagnostic, start: number, end: number, { module, occurrences }: View): readonly Action[] {
  const at = mends.span.start;
  const nodes = nodesAt(module.file, at) as readonly Expression[];
  const call = nodes.find((node): node is Call => node.kind === "call" && node.callee.span.start === at);
  const callee = call?.callee ?? nodes.find(({ kind, span }) => kind === "reference" && span.start === at);
  if (callee === undefined || end < at || (call ?? callee).span.end < start) return [];
  const meaning = occurrenceAt(occurrences, at)?.meaning;
  const takes = meaning === undefined ? null : takenBy(meaning);
  if (takes === null) return [];
  const given = namesOf(call?.arguments ?? [], takes.positional);
  return takes.required
    .filter((name) => !given.has(name))
    .map((name): Action => ({
      title: `add \`${name} =\``,
      kind: "quickfix",
      edits: [edit(name, callee, call)],
      mends,
    }));
}

interface Takes {
  readonly required: readonly string[];
  readonly positional: readonly string[];
}

function takenBy(meaning: Meaning): Takes | null {
  if (meaning.kind === "constructor") {
    const { parameters, positional = [] } = meaning.constructor;
    const required = Object.entries(parameters).filter(([, property]) => property.required === true);
    return { required: required.map(([name]) => name), positional };
  }
  if (meaning.kind === "builtin") {
    const { parameters } = meaning.builtin;
    const required = parameters.filter(({ optional, rest }) => optional !== true && rest !== true);
    return { required: required.map(({ name }) => name), positional: parameters.map(({ name }) => name) };
  }
  if (meaning.kind !== "symbol") return null;
  const { symbol } = meaning;
  if (symbol.kind === "fn") {
    const { parameters } = symbol.node;
    const required = parameters.filter((parameter) => parameter.default === null);
    return { required: required.map(({ name }) => name.text), positional: parameters.map(({ name }) => name.text) };
  }
  const params = symbol.kind === "block" ? (symbol.node.body ?? []).filter((member) => member.kind === "param") : [];
  const required = params.filter((param) => param.default === null);
  return { required: required.map(({ name }) => name.text), positional: [] };
}

function namesOf(written: readonly Argument[], positional: readonly string[]): ReadonlySet<string> {
  let next = 0;
  return new Set(written.map(({ name }) => name?.text ?? positional[next++] ?? ""));
}

/** Behind the last argument, else between the parentheses, which are written where there are none. */
function edit(name: string, callee: Expression, call: Call | undefined) {
  const last = call?.arguments.at(-1);
  const [start, end, before, after] =
    call === undefined
      ? [callee.span.end, callee.span.end, "(", ")"]
      : last === undefined
        ? [callee.span.end, call.span.end, "(", ")"]
        : [last.span.end, last.span.end, ", ", ""];
  return {
    span: { source: callee.span.source, start, end },
    newText: `${before}${name} = ${after}`,
    snippet: `${before}${escaped(name)} = $0${after}`,
  };
}
