import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { removal } from "../../../dsl/diagnostics/suggest.ts";
import { foreignDuplicate, foreignJsonSyntax, foreignTooDeep } from "../../diagnostics/foreign.ts";
import type { Located, Scalar } from "./located.ts";
import type { Text } from "../shell/text.ts";

const deepest = 200;

/**
 * JSON as Python's `json` takes it, which is what DeepSpeed and transformers read files with: no comments, no trailing commas, and
 * a key once (`dict_raise_error_on_duplicate_keys` of DeepSpeed refuses a second). What can be understood all the same is.
 */
export function readJson(text: Text): {
  readonly root: Located | undefined;
  readonly diagnostics: readonly Diagnostic[];
} {
  const deep = tooDeep(text.text);
  if (deep !== null)
    return { root: undefined, diagnostics: [foreignTooDeep(text.spanOf(deep, deep + 1), { limit: deepest })] };
  const marked = text.text.startsWith("\uFEFF");
  const errors: ParseError[] = [];
  const tree = parseTree(marked ? ` ${text.text.slice(1)}` : text.text, errors, {
    disallowComments: true,
    allowTrailingComma: false,
  });
  const diagnostics: Diagnostic[] = errors
    .filter(isFirst)
    .slice(0, 5)
    .map(({ error, offset, length }) => {
      const span = text.spanOf(offset, offset + Math.max(1, length));
      const name = printParseErrorCode(error);
      const word = text.text.slice(span.start, span.end);
      if (name === "InvalidSymbol" && /^-?(?:NaN|Infinity)$/.test(word))
        return foreignJsonSyntax(span, {
          what: `${word} is no number of JSON, and no setting means anything with it`,
        });
      const comma = name === "PropertyNameExpected" || name === "ValueExpected" ? trailingComma(text, offset) : null;
      if (comma !== null)
        return foreignJsonSyntax(comma, { what: "a comma after the last value" }, { fixes: [removal(comma)] });
      return foreignJsonSyntax(span, { what: messages[name] ?? name });
    });
  if (marked) {
    const mark = text.spanOf(0, 1);
    const what = "it begins with a byte order mark (BOM), which Python's `json` refuses";
    diagnostics.unshift(foreignJsonSyntax(mark, { what }, { fixes: [removal(mark)] }));
  }
  return { root: tree === undefined ? undefined : located(tree, text, diagnostics), diagnostics };
}

/** A value that is missing because a word without quotes stands in its place is one mistake. */
const isFirst = ({ error }: ParseError, at: number, all: readonly ParseError[]): boolean => {
  const before = all[at - 1];
  return (
    before === undefined ||
    printParseErrorCode(before.error) !== "InvalidSymbol" ||
    printParseErrorCode(error) !== "ValueExpected"
  );
};

const messages: Readonly<Record<string, string>> = {
  InvalidCommentToken: "a comment",
  CommaExpected: "no comma where one belongs",
  ColonExpected: "no colon after a key",
  PropertyNameExpected: "no key in double quotes where one belongs",
  ValueExpected: "no value where one belongs",
  CloseBraceExpected: "a { that is not closed",
  CloseBracketExpected: "a [ that is not closed",
  EndOfFileExpected: "more text after the end of the object",
  InvalidSymbol: "a word without quotes that is none of true, false, null",
  InvalidNumberFormat: "a number in a form that JSON does not have",
  UnexpectedEndOfString: "a string that is not closed",
};

function trailingComma({ text, spanOf }: Text, offset: number): Span | null {
  const before = /,(\s*)$/.exec(text.slice(0, offset));
  return before === null ? null : spanOf(before.index, before.index + 1);
}

function tooDeep(text: string): number | null {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (quoted) {
      if (char === 92) at++;
      else if (char === 34) quoted = false;
    } else if (char === 34) quoted = true;
    else if (char === 91 || char === 123) {
      if (++depth > deepest) return at;
    } else if (char === 93 || char === 125) depth--;
  }
  return null;
}

function located(node: Node, text: Text, diagnostics: Diagnostic[]): Located {
  const span = text.spanOf(node.offset, node.offset + node.length);
  if (node.type === "array")
    return { kind: "list", items: (node.children ?? []).map((each) => located(each, text, diagnostics)), span };
  if (node.type !== "object") return { kind: "scalar", value: (node.value ?? null) as Scalar, span };
  const seen = new Map<string, Span>();
  const entries = (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) return [];
    const name = String(key.value);
    const keySpan = text.spanOf(key.offset, key.offset + key.length);
    const first = seen.get(name);
    if (first === undefined) seen.set(name, keySpan);
    else
      diagnostics.push(
        foreignDuplicate(keySpan, { key: name }, { related: [{ message: "first written here", span: first }] }),
      );
    return [{ key: name, keySpan, value: located(value, text, diagnostics) }];
  });
  return { kind: "map", entries, span };
}
