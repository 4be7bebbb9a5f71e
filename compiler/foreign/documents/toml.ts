/** TOML with positions, of the version that Python's `tomllib` reads: torchtitan's files are written in it. */
import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { foreignTomlSyntax, foreignTooDeep } from "../../diagnostics/foreign.ts";
import type { Entry, Located, Scalar } from "./located.ts";
import type { Text } from "../shell/text.ts";

interface Table {
  readonly kind: "map";
  readonly entries: Entry[];
  readonly span: Span;
}

/** Arrays and inline tables within each other, beyond which no configuration goes. */
const deepest = 100;

class TooDeep extends Error {
  readonly span: Span;
  constructor(span: Span) {
    super();
    this.span = span;
  }
}

export function readToml({ text, spanOf }: Text): {
  readonly root: Located | undefined;
  readonly diagnostics: readonly Diagnostic[];
} {
  try {
    const program = parseTOML(text.replace(/^\uFEFF/, " "), { tomlVersion: "1.0" });
    return { root: located(program, spanOf), diagnostics: [] };
  } catch (error) {
    if (error instanceof TooDeep)
      return { root: undefined, diagnostics: [foreignTooDeep(error.span, { limit: deepest })] };
    if (!(error instanceof ParseError)) throw error;
    const start = Math.min(error.index, Math.max(0, text.length - 1));
    const what = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    return { root: undefined, diagnostics: [foreignTomlSyntax(spanOf(start, start + 1), { what })] };
  }
}

function located(program: AST.TOMLProgram, spanOf: Text["spanOf"]): Located {
  const at = ({ range: [start, end] }: AST.TOMLNode): Span => spanOf(start, end);
  const table = (node: AST.TOMLNode): Table => ({ kind: "map", entries: [], span: at(node) });

  function pairsInto(into: Table, pairs: readonly AST.TOMLKeyValue[], depth: number): void {
    for (const { key, value } of pairs) put(into, key.keys, () => valueOf(value, depth));
  }

  function valueOf(node: AST.TOMLContentNode, depth: number): Located {
    if (depth > deepest) throw new TooDeep(at(node));
    switch (node.type) {
      case "TOMLArray":
        return { kind: "list", items: node.elements.map((each) => valueOf(each, depth + 1)), span: at(node) };
      case "TOMLInlineTable": {
        const made = table(node);
        pairsInto(made, node.body, depth + 1);
        return made;
      }
      case "TOMLValue":
        return { kind: "scalar", value: scalarOf(node), span: at(node) };
    }
  }

  /** Below a dotted key; of a list of tables the last is meant. */
  function put(into: Table, keys: AST.TOMLKey["keys"], make: () => Located): void {
    const last = keys.at(-1) as AST.TOMLBare | AST.TOMLQuoted;
    const parent = keys.slice(0, -1).reduce((inner, key) => {
      const found = inner.entries.find((entry) => entry.key === nameOf(key))?.value;
      if (found !== undefined) return (found.kind === "list" ? found.items.at(-1) : found) as Table;
      const made = table(key);
      inner.entries.push({ key: nameOf(key), keySpan: at(key), value: made });
      return made;
    }, into);
    const found = parent.entries.find((entry) => entry.key === nameOf(last))?.value;
    const value = make();
    if (found === undefined) parent.entries.push({ key: nameOf(last), keySpan: at(last), value });
    // What comes again is a further table of a list, or the head of a table that deeper ones have made.
    else if (found.kind === "list" && value.kind === "list") (found.items as Located[]).push(...value.items);
    else if (found.kind === "map" && value.kind === "map") (found.entries as Entry[]).push(...value.entries);
  }

  const [top] = program.body;
  const root = table(program);
  for (const node of top.body)
    if (node.type === "TOMLKeyValue") pairsInto(root, [node], 0);
    else {
      const made = table(node);
      pairsInto(made, node.body, 0);
      put(root, node.key.keys, () =>
        node.kind === "array" ? { kind: "list", items: [made], span: made.span } : made,
      );
    }
  return root;
}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted): string => (key.type === "TOMLBare" ? key.name : key.value);

/** Dates, `inf` and `nan` stay as they are written. */
function scalarOf(node: AST.TOMLValue): Scalar {
  if (node.kind === "string" || node.kind === "boolean") return node.value;
  if (node.kind === "integer" || node.kind === "float") return Number.isFinite(node.value) ? node.value : node.number;
  return node.datetime;
}
