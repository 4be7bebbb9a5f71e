/** What the blocks and params of a file say, defaults included: two texts that mean the same have the same values. */
import { format } from "../../dsl/format/format.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { changedBy } from "../../dsl/eval/blocks/changed-by.ts";
import { groupOf } from "../../dsl/eval/blocks/property.ts";
import { variationsOf } from "../../dsl/eval/variants/vary.ts";
import type { Span } from "../../dsl/source/source.ts";
import { show, type Valued } from "../../dsl/types/value.ts";
import { describeOrigin } from "../passes/report.ts";
import type { Fact, Facts } from "./facts.ts";
import { inTable } from "../../dsl/in-table.ts";

export function valuesOf(program: Program): Facts {
  const found = new Map<string, Fact>();
  for (const [name, symbol] of program.root.names) {
    if (symbol.kind === "secret") addText(`secret ${name}`, symbol.node.span, found, laidOutAlone);
    if (symbol.kind !== "param") continue;
    addValue(name, program.context.symbolValue(symbol, symbol.name.span), found);
  }
  for (const block of program.blocks) {
    if (!block.abstract) addBlock(block.name ?? block.kind.name, block, found);
  }
  return found;
}

function addBlock(path: string, block: Instance, found: Map<string, Fact>): void {
  const { kind, context } = block;
  found.set(path, { value: kind.name, origin: null });
  const names = new Set([...Object.keys(kind.properties), ...block.values.keys()]);
  for (const name of names) {
    if (inTable(kind.blocks, name) !== undefined) continue;
    const said = context.property(block, name, block.span);
    if (said !== null) addValue(`${path}.${name}`, said, found);
  }
  for (const name of new Set([...Object.keys(kind.blocks ?? {}), ...block.blocks.keys()])) {
    const group = groupOf(block, name);
    if (group !== null) addBlock(`${path}.${name}`, group, found);
  }
  for (const { node } of block.bounds)
    addText(`${path}.${node.target.map((n) => n.text).join(".")} bound`, node.span, found);
  for (const [index, { node }] of block.checks.entries())
    addText(`${path} ${node.kind} ${index + 1}`, node.span, found);
  for (const [name, { node }] of block.params) addText(`${path} param ${name}`, node.span, found);
  if (kind.varies !== undefined)
    for (const { path: leaf, values, span } of variationsOf(block))
      found.set(`${path}.${leaf}`, {
        value: `in [${values.map(({ value }) => show(value, 1_000_000)).join(", ")}]`,
        origin: describeOrigin({ kind: "written", span, layer: "file" }),
      });
  if (kind.amends === true) for (const [leaf, said] of changedBy(block)) addValue(`${path}.${leaf}`, said, found);
  if (block.clauses.on !== null) found.set(`${path} on`, { value: textOf(block.clauses.on.path), origin: null });
  if (block.clauses.after.length > 0) {
    const names_ = block.clauses.after.map((clause) => textOf(clause.path)).sort();
    found.set(`${path} after`, { value: names_.join(", "), origin: null });
  }
}

function addValue(path: string, { value, origin }: Valued, found: Map<string, Fact>): void {
  const from = describeOrigin(origin);
  if (value.kind === "choice") {
    found.set(path, { value: value.name, origin: from });
    for (const [name, argument] of value.arguments) addValue(`${path}.${name}`, argument, found);
  } else if (value.kind === "record") {
    for (const [name, field] of value.fields) addValue(`${path}.${name}`, field, found);
  } else if (value.kind !== "none" || origin.kind !== "default") {
    found.set(path, { value: show(value, 1_000_000), origin: from });
  }
}

function addText(
  path: string,
  { source, start, end }: Span,
  found: Map<string, Fact>,
  layOut: (text: string) => string = laidOut,
): void {
  found.set(path, {
    value: layOut(source.text.slice(start, end)),
    origin: describeOrigin({ kind: "written", span: { source, start, end }, layer: "file" }),
  });
}

/** A statement of a file as `cdrc fmt` writes it, on one line. */
const laidOutAlone = (text: string): string =>
  format({ path: "", text: `${text}\n` })
    .text.trim()
    .replace(/\s+/g, " ");

/** A statement of a block as `cdrc fmt` writes it, on one line: how it was laid out is no change. */
function laidOut(text: string): string {
  const { text: block } = format({ path: "", text: `stage x {\n${text}\n}\n` });
  return block
    .slice(block.indexOf("{") + 1, block.lastIndexOf("}"))
    .trim()
    .replace(/\s+/g, " ");
}

const textOf = (path: readonly { readonly text: string }[]): string => path.map((name) => name.text).join(".");
