/** What hover, completion and signature help say of a word, in the words of the descriptors. */
import { type Origin, setBy } from "../eval/origin.ts";
import type { Constructor, Property } from "../kind.ts";
import { positionAt, type Span } from "../source/source.ts";
import type { NumberLiteral } from "../syntax/ast.ts";
import type { Symbol } from "../symbols/symbol.ts";
import { describeType } from "../types/type.ts";
import { describeDimension, units } from "../types/units.ts";
import { inTable } from "../in-table.ts";
import type { Meaning } from "./meaning/meaning.ts";
import { textOf } from "./positions.ts";
import { article } from "../diagnostics/article.ts";

export interface Description {
  /** One line of code. */
  readonly title: string;
  /** What its author says of it. */
  readonly doc: string | null;
  readonly type: string | null;
}

export function describe(meaning: Meaning): Description {
  switch (meaning.kind) {
    case "symbol":
      return describeSymbol(meaning.symbol);
    case "local":
      return {
        title: withType(meaning.declaration),
        doc: "a parameter, a field of a record, or a variable of a comprehension",
        type: null,
      };
    case "block_kind":
    case "group":
      return { title: meaning.block.name, doc: meaning.block.doc, type: null };
    case "nested":
      return {
        title: `${meaning.block.name} ${textOf(meaning.declaration)}`,
        doc: meaning.block.doc,
        type: null,
      };
    case "property":
      return { title: `${meaning.of.name}.${meaning.name}`, ...describeProperty(meaning.property) };
    case "parameter":
      return { title: `${meaning.of}(${meaning.name} = …)`, ...describeProperty(meaning.property) };
    case "derived":
      return { title: `${meaning.of.name}.${meaning.name}`, doc: meaning.is.doc, type: "derived" };
    case "handle":
      return {
        title: `${meaning.of.name}.${meaning.name}`,
        doc: `what ${article(meaning.of.name)} makes`,
        type: "a handle",
      };
    case "constructor":
      return {
        title: signature(meaning.name, meaning.constructor),
        doc: meaning.constructor.doc,
        type: meaning.choice,
      };
    case "enum_member":
      return {
        title: meaning.name,
        doc: inTable(meaning.type.docs, meaning.name) ?? null,
        type: describeType(meaning.type),
      };
    case "formula_name":
      return { title: meaning.name, doc: meaning.is.doc, type: describeType(meaning.is.type) };
    case "builtin":
      return {
        title: `${meaning.name}(${meaning.builtin.parameters.map((p) => `${p.name}${p.rest === true ? "…" : ""}`).join(", ")})`,
        doc: meaning.builtin.doc,
        type: null,
      };
    case "type":
      return { title: meaning.name, doc: null, type: meaning.type === null ? null : describeType(meaning.type) };
    case "unit": {
      const unit = units.get(meaning.name);
      const isShare = meaning.name === "%";
      const doc = isShare ? `a share of ${meaning.whole ?? "what the property names"}` : ratioIn(meaning.literal);
      return {
        title: meaning.name,
        doc,
        type: unit === undefined || isShare ? null : describeDimension(unit.dimension),
      };
    }
    case "auto":
      return meaning.constructor === null
        ? { title: "auto", doc: "the compiler decides", type: null }
        : { title: signature("auto", meaning.constructor), doc: meaning.constructor.doc, type: null };
    case "phase":
      return { title: meaning.name, doc: phaseDocs[meaning.name] ?? null, type: null };
  }
}

const phaseDocs: Readonly<Record<string, string>> = {
  run: "values of the run, known once it exists: `run.id`, `run.step`, `run.epoch`",
  row: "a row of the data",
  plan: "estimates of the plan",
  host: "this machine: `host.gpus`, `host.gpu_memory`, `host.cores`, `host.memory`",
  "host.gpus": "GPUs of this machine",
  "host.gpu_memory": "memory of one of its GPUs",
  "host.cores": "cores of this machine",
  "host.memory": "memory of this machine",
};

export function describeProperty({ doc, type, default: fallback, required }: Property): Omit<Description, "title"> {
  const more = required === true ? ["required"] : fallback === undefined ? [] : [`default: \`${fallback}\``];
  return { doc, type: [describeType(type), ...more].join("; ") };
}

/** `adamw(lr, betas, eps, weight_decay)`. */
export function signature(name: string, { parameters }: Constructor): string {
  const names = Object.keys(parameters);
  return names.length === 0 ? name : `${name}(${names.join(", ")})`;
}

function describeSymbol(symbol: Symbol): Description {
  if (symbol.kind === "namespace")
    return { title: `import as ${symbol.name.text}`, doc: symbol.of.file.doc, type: symbol.of.path };
  const { node } = symbol;
  const { text } = node.span.source;
  const head = node.kind === "block" && node.body !== null ? node.body[0]?.span.start : undefined;
  const upTo = text.slice(node.span.start, head ?? node.span.end);
  const said = (node.kind === "block" ? upTo.replace(/\{[^]*$/, "") : upTo).trim();
  return { title: firstLine(said), doc: node.doc, type: null };
}

/** A longer title is no title: the declaration is better read where it stands. */
const longest = 120;

function firstLine(text: string): string {
  const line = (/^[^\r\n]*/.exec(text.slice(0, longest))?.[0] ?? "").trim();
  return line.length === text.length ? line : `${line} …`;
}

/** `width: Int` of what is declared inside a declaration: its name, with its type where one is written. */
function withType({ source, start }: Span): string {
  const [text = ""] =
    /^\w+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*:[ \t]*[\w.<>|[\] \t]+)?/.exec(source.text.slice(start, start + longest)) ??
    [];
  return text.trim();
}

/** Where a value came from, in one line. */
export function describeOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "written": {
      const { source, start } = origin.span;
      const layer = origin.layer === "file" ? "" : ` (${origin.layer})`;
      return `written at ${source.path.split("/").at(-1) ?? ""}:${positionAt(source, start).line + 1}${layer}`;
    }
    case "param":
      return `param ${origin.name}, ${setBy(origin)}`;
    case "default":
      return `default of ${origin.by}${published(origin.source)}`;
    case "derived":
      return `derived: ${origin.rule}${origin.inputs.length === 0 ? "" : ` from ${origin.inputs.join(", ")}`}${published(origin.source)}`;
    case "chosen":
      return `chosen by the ${origin.by}: ${origin.reason}`;
  }
}

const published = (source: string | undefined): string => (source === undefined ? "" : ` (${source})`);

/** `20 tokens/param` is more than its first word. */
function ratioIn(literal: NumberLiteral | undefined): string | null {
  const { numerator = [], denominator = [] } = literal?.unit ?? {};
  if (denominator.length === 0) return null;
  const whole = [numerator.join(" "), ...denominator].join("/");
  return `part of \`${whole}\`: ${numerator.join(" ")} for each ${denominator.join(" and ")}`;
}
