/** What the blocks and params of a file say, defaults included: two texts that mean the same have the same values. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { changedBy } from "../../dsl/eval/blocks/changed-by.ts";
import { groupOf } from "../../dsl/eval/blocks/property.ts";
import { variationsOf } from "../../dsl/eval/variants/vary.ts";
import { variantsOf } from "../../dsl/eval/variants/variants-of.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Module } from "../../dsl/symbols/symbol.ts";
import type { Assert, Expect } from "../../dsl/syntax/ast.ts";
import type { Context } from "../../dsl/eval/context.ts";
import { show, type Valued } from "../../dsl/types/value.ts";
import { describeOrigin } from "../passes/report.ts";
import { canonical } from "./canonical.ts";
import { converted } from "./converted.ts";
import type { Fact, Facts } from "./facts.ts";
import { laidOut, laidOutAlone } from "./laid-out.ts";
import { meaningOf } from "./meaning-of-value.ts";
import { reference } from "./reference.ts";
import { treeOfSyntax } from "./tree-of-syntax.ts";
import { addVariant } from "./variants.ts";
import { inTable } from "../../dsl/in-table.ts";

export function valuesOf(program: Program): Facts {
  const found = new Map<string, Fact>();
  for (const [name, symbol] of program.root.names) {
    if (symbol.kind === "secret") addText(`secret ${name}`, symbol.node.span, found, laidOutAlone);
    if (symbol.kind !== "param") continue;
    addValue(name, program.context.symbolValue(symbol, symbol.name.span), found, null);
  }
  for (const kind of ["preset", "overlay"] as const)
    for (const variant of variantsOf(program.root, kind, program.context.registry))
      addVariant(variant, program.context, found);
  for (const node of program.root.file.statements)
    if (node.kind === "assert") addCheck("", node, program.root, program.context, found);
  for (const block of program.blocks) {
    if (!block.abstract) addBlock(block.name ?? block.kind.name, block, found);
  }
  return found;
}

function addBlock(path: string, block: Instance, found: Map<string, Fact>): void {
  const { kind, context } = block;
  found.set(path, { value: kind.name, origin: null, ...(block.parent === null ? { named: true as const } : {}) });
  const names = new Set([...Object.keys(kind.properties), ...block.values.keys()]);
  for (const name of names) {
    if (inTable(kind.blocks, name) !== undefined) continue;
    const said = context.property(block, name, block.span);
    if (said !== null) addValue(`${path}.${name}`, said, found, block);
  }
  for (const name of new Set([...Object.keys(kind.blocks ?? {}), ...block.blocks.keys()])) {
    const group = groupOf(block, name);
    if (group !== null) addBlock(`${path}.${name}`, group, found);
  }
  for (const { node, by } of block.bounds) {
    const target = `${path}.${node.target.map((n) => n.text).join(".")} bound`;
    const meaning = canonical(treeOfSyntax(node.value, by.module, context));
    addText(`${target} ${node.op}`, node.span, found, laidOut, { meaning, shown: target });
  }
  for (const { node, by } of block.checks) addCheck(`${path} `, node, by.module, context, found);
  for (const [name, { node }] of block.params) addText(`${path} param ${name}`, node.span, found);
  if (kind.varies !== undefined)
    for (const { path: leaf, values, span } of variationsOf(block))
      found.set(`${path}.${leaf}`, {
        value: `in [${values.map(({ value }) => show(value, 1_000_000)).join(", ")}]`,
        meaning: values.map(({ value }) => meaningOf(value)).join(", "),
        origin: describeOrigin({ kind: "written", span, layer: "file" }),
      });
  if (kind.amends === true)
    for (const [leaf, said] of changedBy(block)) addValue(`${path}.${leaf}`, said, found, block);
  if (block.clauses.on !== null)
    found.set(`${path} on`, {
      value: textOf(block.clauses.on.path),
      origin: null,
      meaning: meant(block.clauses.on.path),
    });
  if (block.clauses.after.length > 0) {
    const paths = block.clauses.after.map((clause) => clause.path);
    const [value, meaning] = [textOf, meant].map((words) => paths.map(words).sort().join(", "));
    found.set(`${path} after`, { value: value ?? "", origin: null, meaning: meaning ?? "" });
  }
}

function addValue(path: string, { value, origin }: Valued, found: Map<string, Fact>, block: Instance | null): void {
  const from = describeOrigin(origin);
  if (value.kind === "choice") {
    found.set(path, { value: value.name, origin: from });
    for (const [name, argument] of value.arguments) addValue(`${path}.${name}`, argument, found, block);
  } else if (value.kind === "record") {
    for (const [name, field] of value.fields) addValue(`${path}.${name}`, field, found, block);
  } else if (value.kind !== "none" || origin.kind !== "default") {
    const units = block === null ? null : converted(value, block);
    found.set(path, {
      value: show(value, 1_000_000),
      origin: from,
      meaning: meaningOf(value),
      ...(units === null ? {} : { converted: units }),
    });
  }
}

/** Told apart by what it says: one more before it changes nothing of it. */
function addCheck(
  path: string,
  node: Assert | Expect,
  module: Module,
  context: Context,
  found: Map<string, Fact>,
): void {
  const { source, start, end } = node.span;
  const parts = [node.condition, ...(node.otherwise === null ? [] : [node.otherwise])];
  const meaning = parts.map((part) => canonical(treeOfSyntax(part, module, context))).join(" else ");
  const origin = describeOrigin({ kind: "written", span: node.span, layer: "file" });
  const shown = `${path}${laidOut(source.text.slice(start, end))}`;
  found.set(`${path}${node.kind} ${meaning}`, { value: true, origin, shown });
}

function addText(
  path: string,
  { source, start, end }: Span,
  found: Map<string, Fact>,
  layOut: (text: string) => string = laidOut,
  compared: Pick<Fact, "meaning" | "shown"> = {},
): void {
  found.set(path, {
    ...compared,
    value: layOut(source.text.slice(start, end)),
    origin: describeOrigin({ kind: "written", span: { source, start, end }, layer: "file" }),
  });
}

const textOf = (path: readonly { readonly text: string }[]): string => path.map((name) => name.text).join(".");
const meant = (path: readonly { readonly text: string }[]): string =>
  path.map((name) => reference(name.text)).join(".");
