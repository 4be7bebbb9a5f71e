import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Lexer } from "chevrotain";
import { array, assert, constantFrom, nat, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { scan } from "../../dsl/lexer/scan.ts";
import type { Token } from "../../dsl/lexer/token.ts";
import { Comment, Doc, lexed } from "../../dsl/lexer/vocabulary.ts";

const root = join(import.meta.dirname, "../..");
const chevrotain = new Lexer(lexed, { positionTracking: "onlyOffset", skipValidations: true });

const shown = ({ tokenType, image, startOffset, payload }: Token): string =>
  `${startOffset} ${tokenType.name} ${JSON.stringify(image)} ${JSON.stringify(payload)}`;

/** What Chevrotain's own lexer makes of a text with the same vocabulary. */
function expected(text: string): unknown {
  const { tokens, errors } = chevrotain.tokenize(text);
  return {
    tokens: tokens.filter(({ tokenType }) => tokenType !== Comment).map(shown),
    comments: tokens.filter(({ tokenType }) => tokenType === Comment || tokenType === Doc).map(shown),
    errors: errors.map(({ offset, length }) => ({ start: offset, length })),
  };
}

function found(text: string): unknown {
  const { tokens, comments, errors } = scan(text, 0, text.length) ?? { tokens: [], comments: [], errors: [] };
  return { tokens: tokens.map(shown), comments: comments.map(shown), errors };
}

const examples = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".cdr"))
  .map((name) => readFileSync(join(root, "examples", name), "utf8"));

/** What tokens begin and end with, and what comes between them by mistake. */
const scraps = [
  ...["a", "layers", "_x9", "f", "0", "12", "1.5", ".5", "4Ki", "1e-4", "1..64", "80GB", "5%", "1.", "e"],
  ...[
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\u00a0",
    "\ufeff",
    "\u2003",
    '"',
    '"""',
    "'",
    "`",
    "“",
    "\\",
    "\0",
    "${",
    "$",
    "$x",
  ],
  ...[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "..",
    "=",
    "==",
    "===",
    "=>",
    "!",
    "!=",
    "!==",
    "<",
    "<=",
    "<-",
    "<>",
    ">",
  ],
  ...[
    ">=",
    ":",
    ":=",
    "+",
    "+=",
    "-",
    "--",
    "-- ",
    "->",
    "*",
    "**",
    "/",
    "//",
    "///",
    "////",
    "/*",
    "*/",
    "<!--",
    "-->",
  ],
  ...["|", "||", "|>", "&&", "#", ";", "%", "^", "@", "?", "~", "é", "模", "😀", "\ud83d", "≤", "…", "×"],
];

describe("scan", () => {
  it("finds in every example the tokens that Chevrotain finds", () => {
    expect(examples.length).toBeGreaterThan(5);
    for (const text of examples) expect(found(text)).toEqual(expected(text));
  });

  it("finds in anything the tokens that Chevrotain finds", () => {
    const anything = oneof(
      array(constantFrom(...scraps), { maxLength: 30 }).map((each) => each.join("")),
      string({ unit: "binary", maxLength: 30 }),
    );
    assert(
      property(anything, (text) => {
        expect(found(text)).toEqual(expected(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("reads a stretch as a text of its own", () => {
    assert(
      property(array(constantFrom(...scraps), { maxLength: 20 }), nat(20), nat(20), (words, a, b) => {
        const text = words.join("");
        const [start, end] = [Math.min(a, b, text.length), Math.min(Math.max(a, b), text.length)];
        const { tokens } = scan(text, start, end) ?? { tokens: [] };
        for (const token of tokens) {
          expect(token.startOffset).toBeGreaterThanOrEqual(start);
          expect(text.startsWith(token.image, token.startOffset)).toBe(true);
          expect(token.startOffset + token.image.length).toBeLessThanOrEqual(end);
        }
      }),
    );
  });
});
