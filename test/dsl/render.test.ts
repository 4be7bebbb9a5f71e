import { describe, expect, it } from "vitest";
import { define, type Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { toJson } from "../../dsl/diagnostics/json.ts";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { ordered } from "../../dsl/diagnostics/order.ts";
import { type Palette, renderDiagnostics } from "../../dsl/diagnostics/render.ts";
import { toGithub, toSarif } from "../../dsl/diagnostics/sarif.ts";
import type { Source } from "../../dsl/source/source.ts";
import { parse } from "../../dsl/syntax/parse.ts";

const plain = (text: string): string => text;
const palette: Palette = { bold: plain, dim: plain, red: plain, yellow: plain, blue: plain, green: plain };

const something = define<{ what: string }>({
  code: "cdr/test-something",
  severity: "warning",
  message: ({ what }) => `something is odd about ${what}`,
  explanation: "It is only for tests.",
  fix: "Write `that` in its place, or leave it.",
});

const source = (text: string): Source => ({ path: "train.cdr", text });
const at = (text: string, part: string, details = {}): Diagnostic => {
  const start = text.indexOf(part);
  return something({ source: source(text), start, end: start + part.length }, { what: "this" }, details);
};
const render = (...diagnostics: readonly Diagnostic[]): string => `\n${renderDiagnostics(diagnostics, palette)}`;
const renderParsed = (text: string): string => render(...parse(source(text)).diagnostics);

describe("as text", () => {
  it("a word, with its fix", () => {
    expect(renderParsed("stage pretrain {\n  lr: 1e-4\n}\n")).toMatchInlineSnapshot(`
      "
      train.cdr:2:5: error: \`lr\` gets its value with \`=\`; \`:\` only gives a type
         2 |   lr: 1e-4
           |     ^
            fix: write \`=\`
            cdr/syntax-colon
      "
    `);
  });

  it("once, however long the path", () => {
    const diagnostic = at("a = b", "a");
    const path = `${"deep/".repeat(40)}train.cdr`;
    const far = { ...diagnostic, span: { ...diagnostic.span, source: { ...diagnostic.span.source, path } } };
    expect(render(far).split("warning:")).toHaveLength(2);
  });

  it("a bracket, with the place it was opened at", () => {
    expect(renderParsed("stage pretrain {\n  optimizer = adamw(lr = 3e-4\n}\n")).toMatchInlineSnapshot(`
      "
      train.cdr:2:30: error: \`(\` has no closing \`)\`; it was expected here
         2 |   optimizer = adamw(lr = 3e-4
           |                              ^
            note: opened here (train.cdr:2:20)
         2 |   optimizer = adamw(lr = 3e-4
           |                    -
            fix: insert \`)\`
            cdr/syntax-bracket-unclosed
      "
    `);
  });

  it("the end of the file", () => {
    expect(renderParsed("let a =")).toMatchInlineSnapshot(`
      "
      train.cdr:1:8: error: a value is missing after \`=\`, before the end of the file
         1 | let a =
           |        ^
            fix: Write the value, or remove the name and its \`=\`.
            cdr/syntax-value-missing
      "
    `);
    expect(render(something({ source: source(""), start: 0, end: 0 }, { what: "this" }))).toMatchInlineSnapshot(`
      "
      train.cdr:1:1: warning: something is odd about this
            fix: Write \`that\` in its place, or leave it.
            cdr/test-something
      "
    `);
  });

  it("several lines", () => {
    const text = "a {\n  b = 1\n}\nc {\n  d = 1\n  e = 2\n  f = 3\n}\n";
    expect(render(at(text, "a {\n  b = 1\n}"), at(text, text.slice(14)))).toMatchInlineSnapshot(`
      "
      train.cdr:1:1: warning: something is odd about this
         1 | a {
           | ^^^
         2 |   b = 1
           |   ^^^^^
         3 | }
           | ^
            fix: Write \`that\` in its place, or leave it.
            cdr/test-something

      train.cdr:4:1: warning: something is odd about this
         4 | c {
           | ^^^
         5 |   d = 1
           |   ^^^^^
         … |
         8 | }
           | ^
            fix: Write \`that\` in its place, or leave it.
            cdr/test-something
      "
    `);
  });

  it("tabs and wide letters", () => {
    expect(render(at('\t\tname = "数据" + x\n', "x"))).toMatchInlineSnapshot(`
      "
      train.cdr:1:17: warning: something is odd about this
         1 |         name = "数据" + x
           |                         ^
            fix: Write \`that\` in its place, or leave it.
            cdr/test-something
      "
    `);
  });

  it("a long line, cropped", () => {
    const text = `packages = [${'"torch==2.8.0", '.repeat(20)}oops, ${'"wandb", '.repeat(20)}]`;
    expect(render(at(text, "oops"))).toMatchInlineSnapshot(`
      "
      train.cdr:1:333: warning: something is odd about this
         1 | …rch==2.8.0", "torch==2.8.0", oops, "wandb", "wandb", "wandb", "wandb", "wandb", "wandb", "wandb", "wandb", "…
           |                               ^^^^
            fix: Write \`that\` in its place, or leave it.
            cdr/test-something
      "
    `);
  });

  it("the values that would do, and a long message", () => {
    const valid = Array.from({ length: 30 }, (_, index) => `value_${index}`);
    const text = "family = gptt2";
    const long = something(
      { source: source(text), start: 9, end: 14 },
      { what: "a name so long that the message does not fit in the line that it begins on and goes on in the next" },
      { valid },
    );
    expect(render(long)).toMatchInlineSnapshot(`
      "
      train.cdr:1:10: warning: something is odd about a name so long that the message does not fit in the line that it
            begins on and goes on in the next
         1 | family = gptt2
           |          ^^^^^
            valid: value_0, value_1, value_2, value_3, value_4, value_5, value_6, value_7, value_8, value_9, value_10,
                   value_11, value_12, value_13, value_14, value_15, value_16, value_17, value_18, value_19, value_20,
                   value_21, value_22, value_23, value_24, value_25, value_26, value_27, value_28, value_29
            fix: Write \`that\` in its place, or leave it.
            cdr/test-something
      "
    `);
  });

  it("never more than 118 columns", () => {
    const text = `a = ${"数".repeat(200)}\n${"\tb".repeat(100)}`;
    for (const part of ["a", "数数", "b", text.slice(5)]) {
      for (const line of render(at(text, part)).split("\n"))
        expect(line.replaceAll("数", "xx").length).toBeLessThan(119);
    }
  });
});

describe("for programs", () => {
  const text = "stage pretrain {\n  optimizer = adamw(lr = '😀', b = 2\n}\n";
  const { diagnostics } = parse(source(text));

  it("as JSON", () => {
    expect(toJson(diagnostics)).toMatchInlineSnapshot(`
      {
        "diagnostics": [
          {
            "code": "cdr/syntax-string-quotes",
            "file": "train.cdr",
            "fix": "Write double quotes.",
            "fixes": [
              {
                "edits": [
                  {
                    "file": "train.cdr",
                    "newText": ""😀"",
                    "range": {
                      "end": {
                        "character": 29,
                        "line": 1,
                      },
                      "start": {
                        "character": 25,
                        "line": 1,
                      },
                    },
                  },
                ],
                "title": "write \`"😀"\`",
              },
            ],
            "help": "cdrc explain syntax-string-quotes",
            "message": "strings are written in double quotes",
            "range": {
              "end": {
                "character": 29,
                "line": 1,
              },
              "start": {
                "character": 25,
                "line": 1,
              },
            },
            "related": [],
            "severity": "error",
            "valid": [],
          },
          {
            "code": "cdr/syntax-bracket-unclosed",
            "file": "train.cdr",
            "fix": "Add the closing bracket where the block, the call or the list ends.",
            "fixes": [
              {
                "edits": [
                  {
                    "file": "train.cdr",
                    "newText": ")",
                    "range": {
                      "end": {
                        "character": 36,
                        "line": 1,
                      },
                      "start": {
                        "character": 36,
                        "line": 1,
                      },
                    },
                  },
                ],
                "title": "insert \`)\`",
              },
            ],
            "help": "cdrc explain syntax-bracket-unclosed",
            "message": "\`(\` has no closing \`)\`; it was expected here",
            "range": {
              "end": {
                "character": 36,
                "line": 1,
              },
              "start": {
                "character": 36,
                "line": 1,
              },
            },
            "related": [
              {
                "file": "train.cdr",
                "message": "opened here",
                "range": {
                  "end": {
                    "character": 20,
                    "line": 1,
                  },
                  "start": {
                    "character": 19,
                    "line": 1,
                  },
                },
              },
            ],
            "severity": "error",
            "valid": [],
          },
        ],
        "summary": {
          "errors": 2,
          "warnings": 0,
        },
      }
    `);
  });

  it("as SARIF", () => {
    const known = [
      {
        code: "cdr/syntax-bracket-unclosed",
        explanation: "What is opened is closed\nin its turn. Else nobody knows\n\n    where it ends.",
      },
    ];
    expect(toSarif(diagnostics.slice(1), "1.2.3", known)).toMatchInlineSnapshot(`
      {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [
          {
            "columnKind": "utf16CodeUnits",
            "results": [
              {
                "fixes": [
                  {
                    "artifactChanges": [
                      {
                        "artifactLocation": {
                          "uri": "train.cdr",
                        },
                        "replacements": [
                          {
                            "deletedRegion": {
                              "endColumn": 37,
                              "endLine": 2,
                              "startColumn": 37,
                              "startLine": 2,
                            },
                            "insertedContent": {
                              "text": ")",
                            },
                          },
                        ],
                      },
                    ],
                    "description": {
                      "text": "insert \`)\`",
                    },
                  },
                ],
                "level": "error",
                "locations": [
                  {
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "train.cdr",
                      },
                      "region": {
                        "endColumn": 37,
                        "endLine": 2,
                        "startColumn": 37,
                        "startLine": 2,
                      },
                    },
                  },
                ],
                "message": {
                  "text": "\`(\` has no closing \`)\`; it was expected here",
                },
                "relatedLocations": [
                  {
                    "id": 0,
                    "message": {
                      "text": "opened here",
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "train.cdr",
                      },
                      "region": {
                        "endColumn": 21,
                        "endLine": 2,
                        "startColumn": 20,
                        "startLine": 2,
                      },
                    },
                  },
                ],
                "ruleId": "cdr/syntax-bracket-unclosed",
                "ruleIndex": 0,
              },
            ],
            "tool": {
              "driver": {
                "name": "cdrc",
                "rules": [
                  {
                    "fullDescription": {
                      "text": "What is opened is closed
      in its turn. Else nobody knows

          where it ends.",
                    },
                    "help": {
                      "text": "Add the closing bracket where the block, the call or the list ends.
      cdrc explain syntax-bracket-unclosed",
                    },
                    "id": "cdr/syntax-bracket-unclosed",
                    "shortDescription": {
                      "text": "What is opened is closed in its turn.",
                    },
                  },
                ],
                "version": "1.2.3",
              },
            },
          },
        ],
        "version": "2.1.0",
      }
    `);
  });

  it("as annotations", () => {
    expect(`\n${toGithub(diagnostics)}`).toMatchInlineSnapshot(`
      "
      ::error file=train.cdr,line=2,col=26,endLine=2,endColumn=30,title=cdr/syntax-string-quotes::strings are written in double quotes%0Afix: write \`"😀"\`
      ::error file=train.cdr,line=2,col=37,endLine=2,endColumn=37,title=cdr/syntax-bracket-unclosed::\`(\` has no closing \`)\`; it was expected here%0Afix: insert \`)\`
      "
    `);
  });
});

it("order is that of the file, and what is said twice is said once", () => {
  const text = "a = 1\nb = 2\n";
  const first = at(text, "a");
  const second = at(text, "b");
  expect(ordered([second, first, at(text, "b")])).toEqual([first, second]);
});

describe("the nearest name", () => {
  it.each([
    ["bacth", ["batch", "match"], "batch"],
    ["lenght", ["length", "layers"], "length"],
    ["weightDecay", ["weight_decay", "weight"], "weight_decay"],
    ["micro-batch", ["micro_batch"], "micro_batch"],
    ["warmpu", ["warmup", "to"], "warmup"],
    ["optim", ["optimizer", "options"], "optimizer"],
    ["stages", ["stage", "store"], "stage"],
    ["lr", ["to", "of", "on"], null],
    ["gradient", ["length"], null],
    ["x", [], null],
  ])("of %s in %j is %s", (written, names, best) => {
    expect(nearest(written, names)).toBe(best);
  });
});
