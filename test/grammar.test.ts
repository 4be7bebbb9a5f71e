/** docs/grammar.md is the grammar: what it derives is what the parser reads without a message, and nothing else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realFiles } from "../bench/mutate.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { lex } from "../dsl/lexer/lex.ts";
import type { Token } from "../dsl/lexer/token.ts";
import type { Expression } from "../dsl/syntax/ast.ts";
import { balance, deepestBracket } from "../dsl/syntax/brackets/balance.ts";
import { deepestExpression, longestChain } from "../dsl/syntax/grammar/limits.ts";
import { readIndented } from "../dsl/syntax/indented-blocks.ts";
import { layOut } from "../dsl/syntax/layout.ts";
import { readNewcomers } from "../dsl/syntax/newcomers.ts";
import { readNumbers } from "../dsl/syntax/numbers/numbers.ts";
import { parse, parseExpression } from "../dsl/syntax/parse.ts";
import { clauseWords, infixWords, keywords, statementWords, valueWords } from "../dsl/syntax/words.ts";
import { derives, type Ebnf, overCharacters, readEbnf } from "./support/ebnf.ts";
import { random } from "./support/random.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/grammar.md"), "utf8");
const ebnf = readEbnf([...page.matchAll(/^```ebnf\n([^]*?)^```/gm)].map(([, text]) => text).join("\n"));
const ruleOf = (name: string) => ebnf.get(name) ?? expect.fail(`the page has no rule \`${name}\``);

/** The page's table of operators, from loose to tight. */
const operators = [...page.matchAll(/^\| (`.*) +\| (.*?) +\|$/gm)].map(([, signs = "", remark = ""]) => ({
  signs: [...signs.matchAll(/`([^`]+)`/g)].flatMap(([, each = ""]) => each.split(" ")),
  remark,
}));
const between = operators.filter(({ remark }) => remark === "" || remark === "not chained");

/** The page's rules over tokens, of which numbers, names and strings without interpolations are one each. */
const grammar: Ebnf = new Map([
  ...[...ebnf].filter(([name]) => name !== "number" && name !== "name"),
  ["string", { kind: "choice", of: [ruleOf("string"), { kind: "name", text: "plain string" }] }],
  [
    "operator",
    { kind: "choice", of: between.flatMap(({ signs }) => signs).map((text) => ({ kind: "literal", text })) },
  ],
]);
const typesOf: Readonly<Record<string, readonly string[]>> = {
  name: ["Identifier"],
  number: ["Number"],
  "plain string": ["String"],
  '"': ["StringOpen", "StringClose"],
  character: ["StringText"],
  "${": ["InterpolationOpen"],
  "}": ["RightBrace", "InterpolationClose"],
  ";": ["Separator"],
};
const written = new Set(["Identifier", "Number", "String", "StringText", "Separator"]);
const isToken = (terminal: string, { tokenType, image }: Token): boolean =>
  typesOf[terminal]?.includes(tokenType.name) ?? (image === terminal && !written.has(tokenType.name));

/** What the parser reads, or `null` where the passes before it have a mistake to tell. */
function tokensOf(text: string): readonly Token[] | null {
  const source = { path: "test.cdr", text };
  const diagnostics: Diagnostic[] = [];
  const lexed = lex(source);
  const balanced = balance(source, readNumbers(source, lexed.tokens, diagnostics));
  const own = readNewcomers(source, readIndented(source, balanced.tokens, diagnostics), diagnostics);
  const { tokens } = layOut(source, own, diagnostics);
  return diagnostics.length + lexed.diagnostics.length + balanced.diagnostics.length > 0 ? null : tokens;
}

describe("files", () => {
  const files = realFiles();

  it.each(files)("$path is derived", ({ text }) => {
    expect(derives(grammar, "file", tokensOf(text) ?? [], isToken)).toBe(true);
  });

  // What the page says beside the rules: which operators are not chained, and the order of clauses.
  const beside = new Set(["cdr/syntax-chained", "cdr/syntax-header"]);

  it.each([
    ["without a token", () => ""],
    ["with a token twice", (token: string) => `${token} ${token}`],
    ["with `=` for a token", () => "="],
    ["with a name for a token", () => " name "],
    ["with a word for a token", (_: string, at: number) => ` ${[...keywords][at % keywords.size] ?? ""} `],
  ])("%s are derived where they are read", (_, mutated) => {
    const wrong: string[] = [];
    for (const { path, text, tokens } of files) {
      for (const [index, [start, end]] of tokens.entries()) {
        if (text.length > 4000 || index % 41 !== path.length % 41) continue;
        const mutant = text.slice(0, start) + mutated(text.slice(start, end), index) + text.slice(end);
        const read = tokensOf(mutant);
        if (read === null) continue;
        const told = parse({ path, text: mutant }).diagnostics.filter(({ code }) => !beside.has(code));
        if (derives(grammar, "file", read, isToken) === (told.length === 0)) continue;
        wrong.push(`${path}: ${mutant.slice(Math.max(0, start - 30), start + 30)}: ${told[0]?.code ?? "read"}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("characters", () => {
  const rules = overCharacters(ebnf);
  const classes: Readonly<Record<string, RegExp>> = {
    letter: /^[A-Za-z_]$/,
    digit: /^[0-9]$/,
    hex: /^[0-9A-Fa-f]$/,
    blank: /^[ \t]$/,
  };
  const isCharacter = (terminal: string, char: string): boolean => classes[terminal]?.test(char) ?? char === terminal;
  const derived = (rule: string, text: string): boolean => derives(rules, rule, [...text], isCharacter);

  it("a number is what the page says", () => {
    const { pick, below } = random(26);
    const pieces = [
      "1",
      "20",
      "0",
      "_",
      ".",
      "e",
      "E",
      "+",
      "-",
      "K",
      "M",
      "Ti",
      "Q",
      "%",
      " ",
      "tokens",
      "/",
      "gpu",
      "s",
    ];
    const wrong: string[] = [];
    for (let run = 0; run < 4000; run++) {
      const text = `${pick(["1", "36", "0"])}${Array.from({ length: below(6) }, () => pick(pieces)).join("")}`;
      const source = { path: "test.cdr", text };
      const { expression, diagnostics } = parseExpression(source);
      const isNumber =
        diagnostics.length === 0 && expression.kind === "number" && expression.span.end === text.trimEnd().length;
      if (/ (?:[KMBT]|[KMGT]i)\b/.test(text)) continue;
      if (derived("number", text.trimEnd()) !== isNumber) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  it("an escape is what the page says", () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    const escapes = [...printable.map((char) => `\\${char}`), "\\u00e9", "\\u00g9", "\\u{1F600}", "\\u{}", "\\u{12"];
    const wrong = escapes.filter((escape) => {
      const { diagnostics } = parseExpression({ path: "test.cdr", text: `"a${escape} b"` });
      return derived("escape", escape) !== (diagnostics.length === 0);
    });
    expect(wrong).toEqual([]);
  });
});

describe("operators", () => {
  const shapeOf = (text: string): string => {
    const { expression, diagnostics } = parseExpression({ path: "test.cdr", text });
    return diagnostics.length > 0 ? (diagnostics[0]?.code ?? "") : treeOf(expression);
  };
  const treeOf = (expression: Expression): string => {
    switch (expression.kind) {
      case "binary":
        return `(${treeOf(expression.left)} ${expression.op} ${treeOf(expression.right)})`;
      case "range":
        return `(${treeOf(expression.from)} .. ${treeOf(expression.to)})`;
      case "unary":
        return `(${expression.op} ${treeOf(expression.operand)})`;
      case "reference":
        return expression.name.text;
      default:
        return expression.kind;
    }
  };
  const rows = operators.slice(0, -1);
  const pairs = rows.flatMap((loose, row) =>
    rows
      .slice(row + 1)
      .flatMap((tight) => loose.signs.flatMap((a) => tight.signs.map((b) => ({ a, b, loose, tight })))),
  );

  it.each(pairs)("`$b` is tighter than `$a`", ({ a, b, loose, tight }) => {
    const inner = tight.remark.startsWith("before") ? `(${b} y)` : `(y ${b} z)`;
    const flat = tight.remark.startsWith("before") ? `${b} y` : `y ${b} z`;
    if (loose.remark.startsWith("before")) expect(shapeOf(`${a} ${flat}`)).toBe(`(${a} ${inner})`);
    else expect(shapeOf(`x ${a} ${flat}`)).toBe(`(x ${a} ${inner})`);
  });

  it.each(between)("$signs are read from left to right, or not chained", ({ signs, remark }) => {
    for (const a of signs) {
      for (const b of signs) {
        expect(shapeOf(`x ${a} y ${b} z`)).toBe(remark === "" ? `((x ${a} y) ${b} z)` : "cdr/syntax-chained");
      }
    }
  });
});

describe("what the page says in words", () => {
  const listed = (before: string): ReadonlySet<string> =>
    new Set(new RegExp(`${before}[^\`]*\`([a-z ]+)\``).exec(page)?.[1]?.split(" ") ?? []);

  it("lists every keyword where it is one", () => {
    expect(listed("At the start of a member")).toEqual(new Set(statementWords.keys()));
    expect(listed("In a header")).toEqual(new Set(clauseWords.keys()));
    expect(listed("Between two values")).toEqual(new Set(infixWords.keys()));
    expect(listed("As values")).toEqual(new Set(valueWords.keys()));
    const others = [...keywords].filter(
      (word) => ![statementWords, clauseWords, infixWords, valueWords].some((words) => words.has(word)),
    );
    for (const word of others) expect(page).toMatch(new RegExp("`[a-z ]*\\b" + word + "\\b[a-z ]*`"));
  });

  it("states the limits", () => {
    expect(page).toContain(`Brackets nest at most ${deepestBracket} deep, expressions ${deepestExpression}`);
    expect(page).toContain(`two thousand operands may stand side by side`);
    expect(longestChain).toBe(2000);
  });
});
