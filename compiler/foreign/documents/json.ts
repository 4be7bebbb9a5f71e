/**
 * JSON of other tools. Python's `json` has no comments and no commas after the last value, and of a key twice takes the last; `hjson`
 * has both, and DeepSpeed refuses a key twice (runtime/config_utils.py: dict_raise_error_on_duplicate_keys).
 */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { removal } from "../../../dsl/diagnostics/suggest.ts";
import { foreignDuplicate, foreignJsonSyntax, foreignTooDeep } from "../../diagnostics/foreign.ts";
import { readHjson, type Twice } from "./hjson.ts";
import type { Entry, Located, Scalar } from "./located.ts";
import { isUnknown } from "./unknown.ts";
import type { Text } from "../shell/text.ts";

const deepest = 200;

/** Who reads a file: Python's `json`, as transformers and accelerate have it, or `hjson`, as DeepSpeed itself does. */
export type Reader = "json" | "hjson";

export interface ReadJson {
  /** As far as it can be understood, whoever takes it. */
  readonly root: Located | undefined;
  /** What a reader says of it; what nobody knows the reader of, both say. */
  readonly diagnosticsFor: (reader: Reader | null) => readonly Diagnostic[];
}

export function readJson(text: Text): ReadJson {
  const deep = tooDeep(text.text);
  if (deep !== null) {
    const found = [foreignTooDeep(text.spanOf(deep, deep + 1), { limit: deepest })];
    return { root: undefined, diagnosticsFor: () => found };
  }
  const errors: ParseError[] = [];
  const marked = text.text.startsWith("\uFEFF");
  const unmarked = marked ? ` ${text.text.slice(1)}` : text.text;
  const tree = parseTree(unmarked, errors, { disallowComments: true, allowTrailingComma: false });
  const strict = errors.filter(isFirstIn(unmarked)).map((error) => diagnosticOf(error, text));
  const root = tree === undefined ? undefined : located(tree, text);
  const twice = root === undefined ? [] : twiceIn(root);
  if (strict.length === 0 && twice.length === 0 && !marked) return { root, diagnosticsFor: () => [] };

  const loose = readHjson(text, deepest);
  const mark = marked ? [markOf(text)] : [];
  const json = [...mark, ...strict.slice(0, 5), ...twice.map((each) => repeated(each, "json"))];
  const hjson =
    "root" in loose
      ? [...strict.filter((each) => !isRefusal(each)), ...loose.twice.map((each) => repeated(each, "hjson"))]
      : refusedBy(loose, unmarked, text);
  return {
    root: "root" in loose && strict.some(isRefusal) ? loose.root : root,
    diagnosticsFor: (reader) => (reader === null ? ofEither(json, hjson) : reader === "json" ? json : hjson),
  };
}

const isRefusal = ({ severity }: Diagnostic): boolean => severity === "error";

/** Nobody knows who reads it: what one of them refuses is a warning that says so. */
function ofEither(json: readonly Diagnostic[], hjson: readonly Diagnostic[]): readonly Diagnostic[] {
  const refused = [json, hjson].map((found) => found.some(isRefusal));
  if (refused[0] === refused[1]) return json;
  const [found, said] =
    refused[0] === true
      ? [json, "the transformers Trainer and accelerate refuse it, but DeepSpeed's own reader (hjson) accepts it"]
      : [hjson, "DeepSpeed's own reader refuses it, but the transformers Trainer and accelerate accept it"];
  const first = found.find(isRefusal);
  if (first === undefined) return [];
  const others = found.filter((each) => each !== first && isRefusal(each));
  const related = [...first.related, ...others.map(({ message, span }) => ({ message, span }))];
  return [{ ...first, severity: "warning", message: `${first.message}; ${said}`, related }];
}

/** What is wrong beside what hjson takes; where that is nothing, its own word. */
function refusedBy(
  { refused, at }: { readonly refused: string; readonly at: number },
  unmarked: string,
  text: Text,
): readonly Diagnostic[] {
  const errors: ParseError[] = [];
  parseTree(unmarked, errors, { disallowComments: false, allowTrailingComma: true });
  const found = errors
    .filter(isFirstIn(unmarked))
    .map((error) => ({ ...diagnosticOf(error, text), severity: "error" as const }));
  return found.length > 0 ? found.slice(0, 5) : [foreignJsonSyntax(text.spanOf(at, at + 1), { what: refused })];
}

function repeated({ entry, first }: Twice, reader: Reader): Diagnostic {
  const related = [{ message: "first given here", span: first.keySpan }];
  return reader === "hjson"
    ? foreignDuplicate(entry.keySpan, { key: entry.key }, { related })
    : foreignDuplicate(
        entry.keySpan,
        { key: `${entry.key}, which Python's \`json\` takes from here,` },
        { related, severity: "warning" },
      );
}

function markOf(text: Text): Diagnostic {
  const mark = text.spanOf(0, 1);
  const what = "it begins with a byte order mark (BOM), which Python's `json` refuses";
  return foreignJsonSyntax(mark, { what }, { fixes: [removal(mark)] });
}

function diagnosticOf({ error, offset, length }: ParseError, text: Text): Diagnostic {
  const span = text.spanOf(offset, offset + Math.max(1, length));
  const name = printParseErrorCode(error);
  const word = text.text.slice(offset, offset + length);
  if (name === "InvalidSymbol" && notFinite.has(word)) {
    const what = `${word} is not a JSON number, and no setting can use it`;
    return foreignJsonSyntax(span, { what }, { severity: "warning" });
  }
  const comma = name === "PropertyNameExpected" || name === "ValueExpected" ? commaTooMany(text, offset) : null;
  if (comma !== null) return foreignJsonSyntax(comma.span, { what: comma.what }, { fixes: [removal(comma.span)] });
  return foreignJsonSyntax(span, { what: messages[name] ?? name });
}

/** Words that Python's `json` takes for numbers. */
const notFinite = new Set(["NaN", "Infinity", "-Infinity"]);

/** A value that is missing because a word without quotes stands in its place is one mistake, and so is a row of commas. */
const isFirstIn =
  (text: string) =>
  ({ error, offset }: ParseError, at: number, all: readonly ParseError[]): boolean => {
    const before = all[at - 1];
    if (before === undefined) return true;
    const isOfWord =
      printParseErrorCode(before.error) === "InvalidSymbol" && printParseErrorCode(error) === "ValueExpected";
    return !isOfWord && !/^[\s,]*$/.test(text.slice(before.offset, Math.min(offset, before.offset + widest)));
  };

/** A row of commas that is wider than this is told once more. */
const widest = 200;

const messages: Readonly<Record<string, string>> = {
  InvalidCommentToken: "a comment",
  CommaExpected: "a comma is missing",
  ColonExpected: "a colon is missing after a key",
  PropertyNameExpected: "a key in double quotes is missing",
  ValueExpected: "a value is missing",
  CloseBraceExpected: "a { that is not closed",
  CloseBracketExpected: "a [ that is not closed",
  EndOfFileExpected: "more text after the end of the object",
  InvalidSymbol: "a word without quotes that is not true, false or null",
  InvalidNumberFormat: "a number in a form that JSON does not allow",
  UnexpectedEndOfString: "a string that is not closed",
};

/** All of a row of commas where nothing follows; all but the first where something does. */
function commaTooMany({ text, spanOf }: Text, offset: number): { readonly span: Span; readonly what: string } | null {
  const from = Math.max(0, offset - widest);
  const before = /,(?:\s*,)*\s*$/.exec(text.slice(from, offset));
  if (before === null) return null;
  const [behind = ""] = /^(?:\s*,)*/.exec(text.slice(offset, offset + widest)) ?? [];
  const start = from + before.index;
  const end = behind === "" ? start + before[0].trimEnd().length : offset + behind.length;
  if (/^\s*[}\]]/.test(text.slice(end, end + widest)))
    return { span: spanOf(start, end), what: "a comma after the last value" };
  const second = text.slice(start + 1, end).indexOf(",");
  return second < 0 ? null : { span: spanOf(start + 1 + second, end), what: "two commas in a row" };
}

/** Counted in the tokens that the parser sees: brackets of strings and comments are none. */
function tooDeep(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const char = text[scanner.getTokenOffset()];
    if (char === "{" || char === "[") {
      if (++depth > deepest) return scanner.getTokenOffset();
    } else if (char === "}" || char === "]") depth--;
  }
  return null;
}

function located(node: Node, text: Text): Located {
  const span = text.spanOf(node.offset, node.offset + node.length);
  if (node.type === "string" && isUnknown(String(node.value))) return { kind: "unknown", span };
  if (node.type === "array")
    return { kind: "list", items: (node.children ?? []).map((each) => located(each, text)), span };
  if (node.type !== "object") return { kind: "scalar", value: (node.value ?? null) as Scalar, span };
  const entries = (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || isUnknown(String(key.value))) return [];
    const read = value === undefined ? wordBehind(key, text) : located(value, text);
    const keySpan = text.spanOf(key.offset, key.offset + key.length);
    return read === null ? [] : [{ key: String(key.value), keySpan, value: read }];
  });
  return { kind: "map", entries, span };
}

/** A number that JSON does not have, and Python's `json` does. */
function wordBehind(key: Node, text: Text): Located | null {
  const after = /^\s*:\s*(-?Infinity|NaN)\b/.exec(
    text.text.slice(key.offset + key.length, key.offset + key.length + 200),
  );
  const [whole, word] = after ?? [];
  if (whole === undefined || word === undefined) return null;
  const end = key.offset + key.length + whole.length;
  return { kind: "scalar", value: Number(word), span: text.spanOf(end - word.length, end) };
}

function twiceIn(node: Located): readonly Twice[] {
  if (node.kind === "list") return node.items.flatMap(twiceIn);
  if (node.kind !== "map") return [];
  const firsts = new Map<string, Entry>();
  return node.entries.flatMap((entry) => {
    const first = firsts.get(entry.key);
    if (first === undefined) firsts.set(entry.key, entry);
    const again = first === undefined ? [] : [{ entry, first }];
    return [...again, ...twiceIn(entry.value)];
  });
}
