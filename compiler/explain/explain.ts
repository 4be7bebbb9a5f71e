/**
 * Where a value came from: of the plan where a stage has one there, else of the block as the file says it. Pure; `cdrc explain`, hover
 * and inlay hints show what it gives.
 */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import { decidedGroup, heldGroup } from "../../dsl/eval/blocks/implied.ts";
import { isGivenBack } from "../../dsl/eval/blocks/is-given-back.ts";
import { traceOf, traceOfSymbol } from "../../dsl/eval/trace.ts";
import type { DerivedField, Property } from "../../dsl/kind.ts";
import type { Module, Symbol } from "../../dsl/symbols/symbol.ts";
import type { Compilation } from "../compile.ts";
import { decidedLater } from "./decided-later.ts";
import { stagePlanOrigin } from "../kinds/stage-derived.ts";
import { modelRequest } from "../passes/resolve/model.ts";
import { size } from "../passes/size.ts";
import { at, inPlan, inputsOf, planned } from "./plan-terms.ts";
import { type Explanation, ofTrace } from "./explanation.ts";
import { planText } from "./plan-text.ts";
import { show } from "../../dsl/types/value.ts";
import { inTable } from "../../dsl/in-table.ts";

/** What there is at a path and below it; empty where there is nothing. */
export function explain(compiled: Compilation, path: string): readonly Explanation[] {
  const { symbol, block, rest } = startOf(compiled, path.split("."));
  if (symbol?.kind === "param" || symbol?.kind === "let")
    return [ofTrace(traceOfSymbol(symbol, compiled.program.context, rest))];
  const rows = block === null ? [] : inBlock(compiled, block, rest);
  return rows.length > 0 || symbol === null || rest.length > 0 ? rows : declared(symbol);
}

/** What a name stands for that has no value to tell: a secret, a function, an enum, a preset. */
function declared(symbol: Symbol): Explanation[] {
  if (symbol.kind === "namespace") return [];
  const { node, name } = symbol;
  const { source, start } = node.span;
  const [head = ""] = source.text.slice(start, node.span.end).split(/\r\n|\n|\r/);
  const origin: Origin = { kind: "written", span: node.span, layer: "file" };
  const value = head.replace(/\s*\{?\s*$/, "");
  return [{ path: name.text, value, known: true, origin, text: null, span: node.span, from: [] }];
}

/** What a stage says in one place and its plan in another. */
const elsewhere: Readonly<Record<string, string>> = { "layout.micro_batch": "batch.micro_batch" };

/** What a block says at a path, and what the plan of a stage has there. */
function inBlock(compiled: Compilation, block: Instance, path: readonly string[]): Explanation[] {
  const stage = compiled.plan.stages.find((s) => s.name === block.name && block.kind.name === "stage");
  const asked = elsewhere[path.join(".")] ?? path.join(".");
  const ofPlan = (key: string): Explanation[] =>
    stage === undefined
      ? []
      : inPlan({ stage, block }, key).map((row) => ({ ...row, path: `${stage.name}.${row.path}` }));
  const rows = ofPlan(asked);
  if (rows.some((row) => row.path === `${block.name ?? ""}.${asked}`)) return rows;
  const said = saidIn(compiled, block, path);
  // `plan.memory` holds what an `assert` may ask for; its terms stand in the plan alone.
  if (said.length === 0 && path[0] === "plan") return ofPlan(path.slice(1).join("."));
  const inBoth = new Set(rows.map((row) => row.path));
  return [...said.filter((row) => !inBoth.has(row.path)), ...rows];
}

/** What the first names of a path stand for, in the file or in one that it imports. */
export function startOf(
  { program: { root, blocks, context } }: Compilation,
  path: readonly string[],
): { readonly symbol: Symbol | null; readonly block: Instance | null; readonly rest: readonly string[] } {
  const [name = "", inside = ""] = path;
  const found = root.names.get(name);
  const inner = found?.kind === "namespace" ? found.of.names.get(inside) : undefined;
  const called = blocks.find((each) => each.name !== null && `${path.join(".")}.`.startsWith(`${each.name}.`));
  const symbol = inner ?? found ?? (called === undefined ? declaredBehind(context.modules, name) : null);
  const behind = path.slice(inner === undefined ? 1 : 2);
  if (symbol?.kind === "block") return { symbol, block: context.instanceOf(symbol), rest: behind };
  return called === undefined
    ? { symbol, block: null, rest: behind }
    : { symbol, block: called, rest: path.slice(called.name?.split(".").length) };
}

/** What one of the files that are read declares by a name which this one does not bring; several may mean any of them. */
function declaredBehind(modules: ReadonlyMap<string, Module>, name: string): Symbol | null {
  const own = [...modules].flatMap(([path, module]) => {
    const symbol = path.startsWith("std/") ? undefined : module.names.get(name);
    return symbol === undefined || symbol.kind === "namespace" || symbol.module !== module ? [] : [symbol];
  });
  return own.length === 1 ? (own[0] ?? null) : null;
}

/** Of what is `none` because nobody says otherwise, what that means. */
function withDoc(said: Explanation, property: Property | undefined): Explanation {
  const { value, origin } = said;
  if (value !== "none" || origin.kind !== "default" || origin.source !== undefined || property === undefined)
    return said;
  return { ...said, origin: { ...origin, source: property.doc } };
}

/** What a model that has all of its parameters does not have: no window, no pattern. */
const isLeftOut = (block: Instance, { known }: Explanation): boolean =>
  !known &&
  block.kind.name === "model" &&
  inTable(block.kind.derived, "parameters")?.compute(block).kind === "record";

const without = (found: Explanation): Explanation => ({
  ...found,
  value: "none",
  known: true,
  origin: { kind: "default", by: "model" },
});

/** What a block says at a path: `m.d_ff`, `s.optimizer.lr`, `s.layout.zero_stage`; all of it at none. */
function saidIn(compiled: Compilation, block: Instance, path: readonly string[]): Explanation[] {
  const [name, ...rest] = path;
  if (name === undefined) {
    const names = new Set([
      ...Object.keys(block.kind.properties),
      ...Object.keys(block.kind.blocks ?? {}),
      ...block.blocks.keys(),
      ...block.values.keys(),
    ]);
    return [...names].flatMap((property) => saidIn(compiled, block, [property]));
  }
  const group = heldGroup(block, name);
  const isOpen = group !== null && !group.values.has(rest[0] ?? "");
  const ofFamily =
    block.kind.name === "model" && isOpen && rest.length > 0 ? ofModel(compiled, block, path.join(".")) : null;
  if (ofFamily !== null) return [ofFamily];
  if (group !== null) {
    const above = `${block.name ?? ""}.${name}`;
    const rows = saidIn(compiled, group, rest).map((row) => ({ ...row, path: `${above}.${tail(row.path)}` }));
    return rows.length > 0 || rest.length > 0 ? rows : varied(group, above);
  }
  const written = block.values.has(name) ? block.context.property(block, name, block.span) : null;
  if (block.kind.name === "model" && (written === null || isGivenBack(block, name, written.value))) {
    const chosen = ofModel(compiled, block, path.join("."));
    if (chosen !== null) return [chosen];
  }
  if (rest.length > 0 && written?.value.kind === "block") return inBlock(compiled, written.value.block, rest);
  const whole: DerivedField | undefined = inTable(block.kind.derived, name);
  const parts = rest.reduce((field, part) => field?.fields?.[part], whole)?.fields;
  if (parts !== undefined) return Object.keys(parts).flatMap((part) => saidIn(compiled, block, [...path, part]));
  const trace = traceOf(block, path);
  if (trace === null) return [];
  const property = rest.length === 0 ? inTable(block.kind.properties, name) : undefined;
  const found = ofTrace(trace);
  const own =
    decidedLater(compiled, block, path) ?? withDoc(isLeftOut(block, found) ? without(found) : found, property);
  const origin = block.kind.name === "stage" ? stagePlanOrigin(path.join(".")) : null;
  const stage = compiled.plan.stages.find((s) => s.name === block.name);
  if (origin === null || stage === undefined) return [own];
  const of = { stage, block };
  const key = typeof origin === "string" ? planned(of, origin, []) : null;
  if (typeof origin !== "string") return [{ ...own, origin, from: inputsOf(of, origin, []) }];
  return [key === null ? own : { ...own, origin: key.origin, span: key.span, from: key.from }];
}

/** `vary` says of others what they go through. */
function varied(group: Instance, path: string): Explanation[] {
  return group.amendments.flatMap(({ node, by }): Explanation[] => {
    if (node.kind !== "bound") return [];
    const { source, start, end } = node.value.span;
    const origin: Origin = { kind: "written", span: node.span, layer: by.layer };
    const leaf = node.target.map(({ text }) => text).join(".");
    const value = `${node.op} ${source.text.slice(start, end)}`;
    return [{ path: `${path}.${leaf}`, value, known: true, origin, text: null, span: node.span, from: [] }];
  });
}

const tail = (path: string): string => path.split(".").slice(1).join(".");

/** A property of a model that the family or the sizer decides: as the stage that trains it has it, else by itself. */
function ofModel(compiled: Compilation, block: Instance, path: string): Explanation | null {
  const trains = compiled.pipeline.steps.find((step) => step.kind === "stage" && step.model.name === block.name);
  const stage = compiled.plan.stages.find((s) => s.name === trains?.name);
  const stageBlock = compiled.program.blocks.find((b) => b.name === trains?.name);
  if (stage !== undefined) {
    const found = planned({ stage, block: stageBlock }, `model.${path}`, []);
    if (found !== null) return { ...found, path: `${block.name ?? "model"}.${path}` };
    const value = at(stage.model, path);
    const whole = stage.origins[`model.${path.split(".")[0] ?? ""}`];
    return value === undefined || whole === undefined
      ? null
      : {
          path: `${block.name ?? "model"}.${path}`,
          value: planText(path, value),
          known: true,
          origin: whole,
          text: null,
          span: null,
          from: [],
        };
  }
  const request = modelRequest(block, null);
  const origin = request === null ? undefined : size(request).origins[path];
  const [name = "", inner] = path.split(".");
  const holder = inner === undefined ? block : decidedGroup(block, name);
  const value = holder === null ? undefined : inTable(holder.kind.derived, inner ?? name)?.compute(holder);
  return origin === undefined || value === undefined
    ? null
    : {
        path: `${block.name ?? "model"}.${path}`,
        value: show(value),
        known: value.kind !== "unknown",
        origin,
        text: null,
        span: null,
        from: [],
      };
}
