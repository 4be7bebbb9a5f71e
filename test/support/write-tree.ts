/** Writes a tree as text, in any layout that the language allows: `style` decides where lines break and comments stand. */
import type { Expression, File, Name, Path, Statement, StringLiteral, TypeExpression } from "../../dsl/syntax/ast.ts";

export interface Style {
  /** What stands between two members or items. */
  readonly separator: () => string;
  /** What stands behind an opening bracket. */
  readonly opening: () => string;
}

const levels: Readonly<Record<string, number>> = {
  ...{ or: 1, and: 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, in: 4, divides: 4 },
  ...{ "+": 6, "-": 6, "*": 7, "/": 7, of: 7 },
};

export function writeTree(file: File, style: Style): string {
  const doc = file.doc === null ? "" : `${docLines(file.doc)}\n`;
  return `${doc}${file.statements.map((each) => `${statement(each, style)}\n`).join("")}`;
}

const docLines = (doc: string): string =>
  doc
    .split("\n")
    .map((line) => `/// ${line}\n`)
    .join("");

const nameText = (name: Name): string => (name.quoted ? JSON.stringify(name.text) : name.text);
const pathText = (path: Path): string => path.map(nameText).join(".");

function statement(s: Statement, style: Style): string {
  const doc = "doc" in s && s.doc !== null ? docLines(s.doc) : "";
  return doc + plain(s, style);
}

function plain(s: Statement, style: Style): string {
  const value = (e: Expression, least = 0): string => expression(e, least, style);
  const type = (t: TypeExpression | null): string => (t === null ? "" : `: ${typeText(t)}`);
  switch (s.kind) {
    case "import": {
      const names = s.names.map(({ name, alias }) => name.text + (alias === null ? "" : ` as ${alias.text}`));
      return `import ${text(s.from)} ${s.as === null ? bracket("{", names, "}", style) : `as ${s.as.text}`}`;
    }
    case "param": {
      const [first] = s.aliases;
      const one = s.aliases.length === 1 && first !== undefined;
      const aliases = one ? first.text : bracket("[", s.aliases.map(nameText), "]", style);
      const bounds = s.bounds.map((bound) => ` ${bound.op} ${value(bound.value, 5)}`).join("");
      const initial = s.default === null ? "" : ` = ${value(s.default)}`;
      return `param ${s.name.text}${s.aliases.length === 0 ? "" : ` as ${aliases}`}${type(s.type)}${bounds}${initial}`;
    }
    case "secret":
      return `secret ${s.name.text} = ${value(s.value)}`;
    case "let":
      return `let ${s.name.text}${type(s.type)} = ${value(s.value)}`;
    case "fn": {
      const parameters = s.parameters.map(
        (p) => p.name.text + type(p.type) + (p.default === null ? "" : ` = ${value(p.default)}`),
      );
      return `fn ${s.name.text}${bracket("(", parameters, ")", style)}${type(s.returns)} = ${value(s.body)}`;
    }
    case "enum":
      return `enum ${s.name.text} ${bracket("{", s.members.map(nameText), "}", style)}`;
    case "block": {
      const words = [
        ...(s.abstract ? ["abstract"] : []),
        pathText(s.head),
        ...(s.name === null ? [] : [s.name.text]),
        ...(s.extends === null ? [] : ["extends", pathText(s.extends)]),
        ...(s.after.length === 0 ? [] : ["after", s.after.map(pathText).join(", ")]),
        ...(s.on === null ? [] : ["on", pathText(s.on)]),
        ...(s.body === null ? [] : [members(s.body, style)]),
      ];
      return words.join(" ");
    }
    case "assign":
      return `${pathText(s.target)} = ${value(s.value)}`;
    case "bound": {
      const limit = value(s.value, 5);
      return `${pathText(s.target)} ${s.op} ${limit.startsWith("{") ? `(${limit})` : limit}`;
    }
    case "assert":
    case "expect": {
      const condition = value(s.condition);
      const safe = /^[{(]/.test(condition) ? `(${condition})` : condition;
      return `${s.kind} ${safe}${s.otherwise === null ? "" : ` else ${value(s.otherwise)}`}`;
    }
    case "test":
      return `test ${text(s.title)} ${members(s.body, style)}`;
  }
}

function members(list: readonly Statement[], style: Style): string {
  return bracket(
    "{",
    list.map((each) => statement(each, style)),
    "}",
    style,
  );
}

function bracket(open: string, items: readonly string[], close: string, style: Style): string {
  if (items.length === 0) return open + close;
  const separated = items.map((item, index) => (index === 0 ? item : separatorFor(item, style) + item)).join("");
  const opening = separated.startsWith("///") ? "\n" : style.opening();
  return `${open}${opening} ${separated} ${close}`;
}

/** A doc comment needs a line of its own. */
const separatorFor = (item: string, style: Style): string => (item.startsWith("///") ? "\n" : style.separator());

function typeText(t: TypeExpression): string {
  switch (t.kind) {
    case "named_type":
      return pathText(t.path);
    case "ratio_type":
      return `${typeText(t.numerator)}/${typeText(t.denominator)}`;
    case "list_type":
      return `[${typeText(t.element)}]`;
    case "union_type":
      return t.members.map(typeText).join(" | ");
    case "literal_type":
      return JSON.stringify(t.value.parts.join(""));
  }
}

function text({ parts }: StringLiteral): string {
  const escaped = (part: string): string =>
    part.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "\\$").replaceAll("\n", "\\n");
  // A line break has no place in an interpolation of a one-line string.
  const flat: Style = { separator: () => ", ", opening: () => "" };
  return `"${parts.map((part) => (typeof part === "string" ? escaped(part) : `\${${expression(part, 0, flat)}}`)).join("")}"`;
}

/** `least` is how tightly it must bind to stand without round brackets. */
function expression(e: Expression, least: number, style: Style): string {
  const [level, written] = bare(e, style);
  return level < least ? `(${written})` : written;
}

const tightest = 10;

function bare(e: Expression, style: Style): readonly [number, string] {
  const at = (inner: Expression, least: number): string => expression(inner, least, style);
  const object = (inner: Expression): string =>
    ["reference", "member", "call", "index", "with"].includes(inner.kind) ? at(inner, tightest) : `(${at(inner, 0)})`;
  switch (e.kind) {
    case "number": {
      const [first = ""] = e.unit?.numerator ?? [];
      const unit = e.unit === null ? "" : [first === "%" ? "%" : ` ${first}`, ...e.unit.denominator].join("/");
      const digits = e.fractional && Number.isInteger(e.value) ? e.value.toFixed(1) : String(e.value);
      return [tightest, `${digits}${e.scale ?? ""}${unit}`];
    }
    case "string":
      return [tightest, text(e)];
    case "bool":
      return [tightest, String(e.value)];
    case "none":
    case "auto":
      return [tightest, e.kind];
    case "reference":
      return [tightest, e.name.text];
    case "member":
      return [tightest, `${object(e.object)}.${e.name.text}`];
    case "call": {
      const list = e.arguments.map((a) => (a.name === null ? "" : `${a.name.text} = `) + at(a.value, 0));
      return [tightest, `${object(e.callee)}${bracket("(", list, ")", style)}`];
    }
    case "index":
      return [tightest, `${object(e.object)}[${at(e.index, 0)}]`];
    case "list":
      return [
        tightest,
        bracket(
          "[",
          e.items.map((item) => at(item, 0)),
          "]",
          style,
        ),
      ];
    case "comprehension": {
      const condition = e.condition === null ? "" : ` if ${at(e.condition, 5)}`;
      return [tightest, `[${at(e.element, 5)} for ${e.variable.text} in ${at(e.over, 5)}${condition}]`];
    }
    case "record":
      return [tightest, members(e.members, style)];
    case "range":
      return [5, `${at(e.from, 6)} .. ${at(e.to, 6)}`];
    case "unary":
      return e.op === "not" ? [3, `not ${at(e.operand, 4)}`] : [8, `-${at(e.operand, tightest)}`];
    case "binary": {
      const level = levels[e.op] ?? tightest;
      return [level, `${at(e.left, level === 4 ? 5 : level)} ${e.op} ${at(e.right, level + 1)}`];
    }
    case "if":
      return [0, `if ${at(e.condition, 1)} then ${at(e.then, 1)} else ${at(e.else, 0)}`];
    case "match": {
      const arms = e.arms.map((arm) => `${arm.patterns.map((p) => at(p, 5)).join(" | ")} => ${at(arm.body, 0)}`);
      const last = e.otherwise === null ? [] : [`else => ${at(e.otherwise, 0)}`];
      return [0, `match ${object(e.subject)} ${bracket("{", [...arms, ...last], "}", style)}`];
    }
    case "with":
      return [tightest, `${object(e.base)} with ${members(e.body, style)}`];
    case "missing":
      throw new RangeError("what is missing cannot be written");
  }
}
