import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { formatEdits } from "../../dsl/format/edits.ts";
import { format } from "../../dsl/format/format.ts";
import { lineWidth } from "../../dsl/format/printer.ts";
import { lex } from "../../dsl/lexer/lex.ts";
import { endOf } from "../../dsl/lexer/token.ts";
import { meaningOf, saysTheSame } from "../../dsl/format/same.ts";
import { tree } from "../support/arbitrary-tree.ts";
import { parseText, sketches } from "../support/syntax.ts";
import { type Style, writeTree } from "../support/write-tree.ts";

const root = join(import.meta.dirname, "../..");
const laidOut = (text: string): string => format({ path: "test.cdr", text }).text;

/** Every file in the language that the repository has. */
const files = [
  ...["examples", "compiler/std", "templates", "test/baselines"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".cdr"))
      .map((path) => join(folder, path)),
  ),
].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** Layouts drawn from a stream of choices: lines broken anywhere, commas or none, comments everywhere. */
function styleOf(choices: readonly number[]): Style {
  let at = 0;
  const next = (): number => choices[at++ % choices.length] ?? 0;
  const pick = (...options: readonly string[]): string => options[next() % options.length] ?? "";
  return {
    separator: () =>
      pick(", ", ", ", "\n", ",\n\n\n", `  // note ${at}\n`, `\n// line ${at}\n`, `, // note ${at}\n  // more\n\n`),
    opening: () => pick("", "", "", "\n", ` // open ${at}\n`, "\n\n  // first\n"),
  };
}

const style = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 }).map(styleOf);

/** Every form of an expression, for comments to stand in. */
const dense = `fn f(a: Int, b: Int = 2) = a * (b + 1) - a / 2
let x = if 1 < 2 and not (3 >= 4) then [1, 2, 3] else [4]
let y = match x { 1 | 2 => "a", else => "b" }
let r = { small = 1, big = { n = 2..4, m = [1..3, 5] } }
let w = small with { layers = 4, heads = 2 }
param p: Int | none in 1..4 = 2
model small { family = llama, layers = f(1, b = 2), size = auto(total = 1B..2B params, within = 5%) }
stage s extends t after a, b on c { length = 2B tokens, expect loss < 3 else rollback
  optimizer = adamw(lr = 1e-3, betas = [0.9, 0.95]) }
assert x[0].a + 1 == 2 or y of z else warn
let u = a - - b * -c + (- -d) - -e
let v = [-x * n for x in [1, -2] if -x < 2 and not done]
let z = [f(x, by = -1) for x in xs]
`;

/** A text with a comment behind one of its tokens, where that changes nothing of what it says. */
function commented(text: string, meaning: string, at: number, comment: string): string | null {
  const changed = text.slice(0, at) + comment + text.slice(at);
  const read = parseText(changed);
  return errorsIn(read.diagnostics) === 0 && meaningOf(read.file) === meaning ? changed : null;
}

it("lays out more lines than a call takes arguments", () => {
  expect(laidOut("let a=1\n".repeat(130_000))).toBe("let a = 1\n".repeat(130_000));
});

describe("layout", () => {
  it("keeps a comment wherever it stands in an expression, and lays the rest out", () => {
    const untidy = dense.replaceAll(" = ", "   =  ");
    const ends = lex({ path: "test.cdr", text: untidy }).tokens.map(endOf);
    const meaning = meaningOf(parseText(untidy).file);
    let tried = 0;
    const places = ends.flatMap((at) => [" // c\n", "\n// c\n"].map((comment) => ({ at, comment })));
    for (const { at, comment } of places) {
      const text = commented(untidy, meaning, at, comment);
      if (text === null) continue;
      tried++;
      const once = laidOut(text);
      expect(saysTheSame(parseText(once).file, parseText(text).file), text).toBe(true);
      expect(laidOut(once), text).toBe(once);
      expect(once, text).not.toMatch(/[ \t]$/m);
      expect(once).not.toBe(text);
    }
    expect(tried).toBeGreaterThan(300);
  });

  const shown = files.filter(({ path }) => !path.startsWith("test"));
  it.each(shown.map(({ path, text }) => [path, text] as const))("leaves %s as it is", (_, text) => {
    expect(laidOut(text)).toBe(text);
  });

  it("needs no comma before a name that is a keyword elsewhere", () => {
    const text = 'test "t" {\n  over = v\n  with = o\n  assert 1 == 1\n}\n';
    expect(laidOut(text)).toBe(text);
    expect(laidOut(text.replace("v\n", "v,\n"))).toBe(text);
  });

  it("keeps comments beside and above operands that do not fit one line", () => {
    expect(laidOut("let a = b + // of b\n c + \n // of d\n d\n")).toBe(
      "let a = b +  // of b\n  c +\n  // of d\n  d\n",
    );
  });

  it.each([...sketches, ...files].map((source) => [source.path, source] as const))(
    "keeps what %s says",
    (_, source) => {
      const { text, diagnostics } = format(source);
      if (errorsIn(diagnostics) > 0) return expect(text).toBe(source.text);
      expect(saysTheSame(parseText(source.text).file, parseText(text).file)).toBe(true);
      expect(laidOut(text)).toBe(text);
    },
  );

  it("keeps every tree and every comment, and is done after one round", () => {
    fc.assert(
      fc.property(tree, style, (file, style) => {
        const text = writeTree(file, style);
        const read = parseText(text);
        expect(read.diagnostics.map((d) => d.message)).toEqual([]);
        expect(meaningOf(read.file)).toBe(meaningOf(file));
        const once = laidOut(text);
        expect(saysTheSame(parseText(once).file, read.file)).toBe(true);
        expect(laidOut(once)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });

  it("does not depend on the blanks and commas that were there", () => {
    const spread: Style = { separator: () => "\n", opening: () => "\n" };
    const commas: Style = { separator: () => " ,\n\t", opening: () => "   \n" };
    fc.assert(
      fc.property(tree, (file) => {
        expect(laidOut(writeTree(file, commas))).toBe(laidOut(writeTree(file, spread)));
      }),
    );
  });
});

it("reads what it breaks: a line between parentheses may begin with `or { }`", () => {
  const long = `let x = f(${"a_long_name + ".repeat(8)}b\n or { })`;
  expect(laidOut(long)).toContain("\n");
  expect(laidOut(long)).not.toBe(long);
});

it("lays out a block that breaks before what would open one", () => {
  const long = `m { x = { y = ${"a_long_name + ".repeat(9)}b or { } } }`;
  expect(laidOut(long)).not.toBe(long);
});

describe("taste", () => {
  const cases: readonly (readonly [title: string, before: string, after: string])[] = [
    [
      "a comment at the end of an operand breaks nothing in it",
      "let t = if a < 3 // why\n then 1 else 2\nlet k = a == 3 // c\n // d\n and b",
      "let t = if a < 3  // why\n  then 1\n  else 2\nlet k = a == 3  // c\n  // d\n  and b\n",
    ],
    ["`=` of a run stands in one column", "a = 1\nlong = 2\n\nb = 3", "a    = 1\nlong = 2\n\nb = 3\n"],
    ["bounds end where `=` ends", "m {\ncommand = 1\ntime <= 3 min\n}", "m {\n  command = 1\n  time   <= 3 min\n}\n"],
    [
      "one-line blocks line up with each other",
      "s {\nlr = 1\nlog { a = 1 }\neval {b=2}\ncheckpoint {\n c = 3 }\n}",
      "s {\n  lr = 1\n  log  { a = 1 }\n  eval { b = 2 }\n  checkpoint {\n    c = 3\n  }\n}\n",
    ],
    [
      "rows that say the same properties are a table",
      'let t = match s {\n"a" => { rank = 8, alpha = 0.2 }\n"bb" => { rank = 128, alpha = 0.18 } }',
      'let t = match s {\n  "a"  => { rank = 8,   alpha = 0.2 }\n  "bb" => { rank = 128, alpha = 0.18 }\n}\n',
    ],
    ["comments at line ends stand in one column", "a = 1 //x\nbbb = 22 // y", "a   = 1   //x\nbbb = 22  // y\n"],
    ["what fits stays on a line", "a = [1,\n2,3]", "a = [1, 2, 3]\n"],
    ["what its author opened stays open", "a = [\n1, 2]", "a = [\n  1\n  2\n]\n"],
    ["one empty line at most", "\n\na = 1\n\n\n\nb = 2\n\n", "a = 1\n\nb = 2\n"],
    [
      "headers line up, empty blocks do not",
      "data a extends base {}\ndata long extends b {}",
      "data a    extends base {}\ndata long extends b {}\n",
    ],
    [
      "a header is one line",
      "stage t\nextends q {\na = 3\n}\nstage u extends q\n after r\n  on pod\n{ seed = 3 }",
      "stage t extends q {\n  a = 3\n}\nstage u extends q after r on pod { seed = 3 }\n",
    ],
    ["empty brackets close at once", "data x { \n }", "data x {}\n"],
    [
      "ranges are tight unless a unit is in the way",
      "a in 1 .. 64 samples\nb in 1 GB..2 GB",
      "a in 1..64 samples\nb in 1 GB .. 2 GB\n",
    ],
    ["signs", "a = -( b+ - c )*f( x )[ 0 ] . y", "a = -(b + -c) * f(x)[0].y\n"],
    [
      "long texts move with their member",
      'a {\n      b = """\n   one\n     two\n   """\n}',
      'a {\n  b = """\n    one\n      two\n    """\n}\n',
    ],
  ];
  it.each(cases)("%s", (_, before, after) => {
    expect(laidOut(before)).toBe(after);
  });

  it("breaks what is too long, the outermost brackets first", () => {
    const items = Array.from({ length: 12 }, (_, index) => `item_number_${index}`);
    expect(laidOut(`a = [${items.join(", ")}]`)).toBe(`a = [\n${items.map((item) => `  ${item}\n`).join("")}]\n`);
    const sum = laidOut(`assert ${items.join(" and ")}`).split("\n");
    expect(sum.slice(0, 2)).toEqual(["assert item_number_0", "  and item_number_1"]);
  });

  it.each(sketches.map((source) => [source.path, source] as const))(
    "%s has no line that is too long",
    (_, source) => {
      for (const line of format(source).text.split("\n")) expect(line.length).toBeLessThanOrEqual(lineWidth);
    },
  );
});

describe("a file with mistakes", () => {
  it("stays as it is, and says why", () => {
    const text = "a   = 1\nb = [1, 2\nc = = 3\n";
    const result = format({ path: "x.cdr", text });
    expect(result.text).toBe(text);
    expect(errorsIn(result.diagnostics)).toBeGreaterThan(0);
  });
});

describe("edits", () => {
  const apply = (text: string, start?: number, end?: number): string =>
    formatEdits({ path: "x.cdr", text }, start, end).reduceRight(
      (result, { span, newText }) => result.slice(0, span.start) + newText + result.slice(span.end),
      text,
    );

  it("lay a file out as `format` does", () => {
    fc.assert(
      fc.property(tree, style, (file, style) => {
        const text = writeTree(file, style);
        expect(apply(text)).toBe(laidOut(text));
      }),
    );
    for (const { text } of [...sketches, ...files]) expect(apply(text)).toBe(laidOut(text));
  });

  it("of a stretch touch nothing outside of it, and change nothing that is said", () => {
    fc.assert(
      fc.property(tree, style, fc.nat(500), fc.nat(500), (file, style, a, b) => {
        const text = writeTree(file, style);
        const [start, end] = [Math.min(a, b, text.length), Math.min(Math.max(a, b), text.length)];
        const result = apply(text, start, end);
        expect(result.startsWith(text.slice(0, start))).toBe(true);
        expect(result.endsWith(text.slice(end))).toBe(true);
        expect(saysTheSame(parseText(result).file, parseText(text).file)).toBe(true);
      }),
    );
  });
});
