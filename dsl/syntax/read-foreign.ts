/** Signs of other languages: what each of them is here. */
import {
  dollar,
  foreignForm,
  foreignOperator,
  semicolon,
  typeForm,
  unknownCharacter,
} from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Edit, Fix } from "../diagnostics/diagnostic.ts";
import { environmentValue, isShellRun, shellRunFix } from "../lexer/shell-run.ts";
import { endOf, makeToken, repair, type Token, type TokenType } from "../lexer/token.ts";
import {
  And,
  Arrow,
  Colon,
  Comma,
  Equal,
  EqualEqual,
  ForeignOperator,
  Identifier,
  LeftBrace,
  LeftParen,
  Mistake,
  Newline,
  Not,
  NotEqual,
  Or,
  RightParen,
  Slash,
  Star,
} from "../lexer/vocabulary.ts";
import { lineAround } from "../source/line-around.ts";
import type { Source, Span } from "../source/source.ts";
import { foreignType } from "./foreign-types.ts";
import { included } from "./included.ts";
import { goesOnWith, pathFrom, textOf } from "./operands.ts";
import { atGlob, atPath } from "./outside.ts";
import { percentFormat } from "./percent-format.ts";
import { ternary, ternaryInText } from "./ternary.ts";
import { startsLine, wordOfLine } from "./token-lines.ts";
import { ofYaml } from "./yaml-values.ts";

const meant: Readonly<Record<string, readonly [TokenType, string]>> = {
  "&&": [And, "and"],
  "&": [And, "and"],
  "||": [Or, "or"],
  "===": [EqualEqual, "=="],
  "!==": [NotEqual, "!="],
  "+=": [Equal, "="],
  "-=": [Equal, "="],
  "*=": [Equal, "="],
  "/=": [Equal, "="],
  "**=": [Equal, "="],
  ":=": [Equal, "="],
  "<-": [Equal, "="],
  "<>": [NotEqual, "!="],
};

const calls: Readonly<Record<string, string>> = { "%": "mod", "^": "pow", "**": "pow" };

/** Pushes what the sign is read as, and tells of it. */
export function readForeign(
  source: Source,
  tokens: readonly Token[],
  index: number,
  inArms: boolean,
  result: Token[],
  out: Diagnostic[],
): void {
  const token = tokens[index] ?? makeToken(ForeignOperator, "", 0);
  const { image: found, startOffset: start } = token;
  const span: Span = { source, start, end: endOf(token) };
  const write = (newText: string, at: Span = span): Fix => ({
    title: `write \`${newText}\``,
    edits: [{ span: at, newText }],
  });
  const replace = (type: TokenType, instead: string, fixes: readonly Fix[]): void => {
    out.push(foreignOperator(span, { found, instead }, { fixes }));
    result.push(repair(makeToken(type, found, start)));
  };

  const glob = found === "**" || found === "?" ? atGlob(source, start) : null;
  if (glob !== null && !isOptionalType(result)) {
    out.push(glob);
    result.push(makeToken(Mistake, found, start));
    return;
  }
  if (found === "**" && unpacks(tokens, index)) {
    out.push(foreignForm(span, { written: found, instead: "a changed copy is `x with { … }`" }));
    result.push(repair(makeToken(Mistake, found, start)));
    return;
  }
  const file = included(source, tokens, index);
  if (file !== null) {
    out.push(file);
    result.push(makeToken(Mistake, found, start));
    return;
  }
  const yaml = ofYaml(source, tokens, index);
  if (yaml !== null) {
    if (yaml.diagnostic !== null) out.push(yaml.diagnostic);
    result.push(makeToken(Mistake, found, start));
    return;
  }
  const formatted = found === "%" ? percentFormat(source, start) : null;
  if (formatted !== null) {
    out.push(formatted);
    result.push(repair(makeToken(Star, found, start)));
    return;
  }
  const known = meant[found];
  const call = calls[found];
  if (known !== undefined) replace(known[0], `write \`${known[1]}\``, [write(known[1])]);
  else if (found === "!") {
    const blanks = /^[ \t]*/.exec(source.text.slice(span.end))?.[0].length ?? 0;
    replace(Not, "write `not`", [
      { title: "write `not`", edits: [{ span: { ...span, end: span.end + blanks }, newText: "not " }] },
    ]);
  } else if (found === "->") {
    const last = result.at(-1);
    const edit: Edit = { span: { ...span, start: last === undefined ? start : endOf(last) }, newText: ":" };
    if (last?.tokenType === RightParen && wordOfLine(result, result.length) === "fn") {
      replace(Colon, "write `:` before a type", [{ title: "write `:`", edits: [edit] }]);
    } else if (inArms) replace(Arrow, "write `=>`", [write("=>")]);
    else replace(Mistake, "`=>` belongs in a `match`, `:` before a type", []);
  } else if (found === "**" && tokens[index - 1]?.tokenType === Slash) {
    // A glob without its quotes: whoever misses a value there sees the whole of it.
    result.push(makeToken(Star, found, start));
  } else if (call !== undefined) {
    const [left, right] = [pathFrom(tokens, index - 1, -1), pathFrom(tokens, index + 1, 1)];
    const isWhole = left !== null && right !== null && !goesOnWith(tokens, index - left.length - 1);
    const divides = isWhole && call === "mod" ? comparedWithNothing(tokens, index + right.length + 1) : null;
    const written = !isWhole
      ? null
      : divides !== null
        ? `${textOf(right)} divides ${textOf(left)}`
        : callOf(call, textOf(left), textOf(right));
    const whole: Span = {
      source,
      start: left?.[0]?.startOffset ?? start,
      end: endOf(divides ?? right?.at(-1) ?? token),
    };
    replace(Star, `write \`${call}(a, b)\``, written === null ? [] : [write(written, whole)]);
  } else if (found === ";") {
    const last = tokens[index + 1] === undefined || tokens[index + 1]?.tokenType === Newline;
    const { before, after } = lineAround(source.text, start);
    const indent = /^[ \t]*/.exec(before)?.[0];
    const blanks = /^;[ \t]*/.exec(after)?.[0].length ?? 1;
    const edit: Edit = last
      ? { span, newText: "" }
      : { span: { ...span, end: start + blanks }, newText: `\n${indent ?? ""}` };
    out.push(semicolon(span, {}, { fixes: [{ title: last ? "remove it" : "begin a new line", edits: [edit] }] }));
    result.push(makeToken(Newline, ";", start));
  } else if (found.startsWith("$")) {
    const name = found.slice(1);
    const bound = /^param\b/.test(wordOfLine(result, result.length) ?? "")
      ? environmentValue(source.text, start)
      : null;
    const braced = name === "" ? /^\$\{([\w.]+)\}/.exec(source.text.slice(start)) : null;
    const whole: Span = { ...span, end: start + (bound?.length ?? braced?.[0].length ?? found.length) };
    const inside = braced?.[1] ?? name.toLowerCase();
    const meant = /^\d/.test(name) ? `${name} usd` : inside;
    const fix =
      bound !== null
        ? write(bound.call, whole)
        : isShellRun(name)
          ? shellRunFix(span, "run.id")
          : write(meant, whole);
    out.push(dollar(span, { text: found }, { fixes: inside === "" && bound === null ? [] : [fix] }));
    result.push(makeToken(Mistake, found, start));
  } else if (found === "\\" && tokens[index + 1]?.tokenType === Newline) {
    out.push(
      foreignOperator(
        span,
        { found, instead: "a line continues after an operator" },
        { fixes: [{ title: "remove it", edits: [{ span, newText: "" }] }] },
      ),
    );
  } else if (found === "|>") {
    replace(Mistake, "a function takes its argument in `( )`: `f(x)`", []);
  } else if (found === "?" && isOptionalType(result)) {
    const type = result.at(-1)?.image ?? "";
    const instead = `${foreignType(type) ?? type} | none`;
    const whole: Span = { ...span, start: result.at(-1)?.startOffset ?? start };
    out.push(typeForm(whole, { written: `${type}?`, instead }, { fixes: [write(instead, whole)] }));
  } else if (found === "?") {
    const fix = ternaryInText(source, start) ?? ternary(source, start);
    replace(Mistake, "write `if c then a else b`", fix === null ? [] : [fix]);
  } else {
    out.push(atPath(source, start) ?? unknownCharacter(span, { text: found }));
    result.push(makeToken(Mistake, found, start));
  }
}

/** `2 ** 9 samples` raises the number, and counts what it comes to; of other operands with units nobody knows what is meant. */
function callOf(call: string, left: string, right: string): string | null {
  const unitOf = (image: string): string => /^[\d._]+(?:e[-+]?\d+)?(.*)$/i.exec(image)?.[1]?.trim() ?? "";
  const unit = unitOf(right);
  if (unitOf(left) !== "" || (unit !== "" && call !== "pow")) return null;
  if (unit === "") return `${call}(${left}, ${right})`;
  const exponent = right.slice(0, -unit.length).trim();
  const power = Number(left) ** Number(exponent);
  return Number.isSafeInteger(power) ? `${power} ${unit}` : `pow(${left}, ${exponent}) * 1 ${unit}`;
}

/** `**defaults`: two stars with nothing before them to raise. */
function unpacks(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.tokenType;
  return startsLine(tokens, index) || before === Comma || before === LeftParen || before === LeftBrace;
}

/** `param n: Int?`: a name behind a colon in a declaration. */
function isOptionalType(tokens: readonly Token[]): boolean {
  const isType = tokens.at(-1)?.tokenType === Identifier && tokens.at(-2)?.tokenType === Colon;
  return isType && /^(?:param|let|fn)$/.test(wordOfLine(tokens, tokens.length) ?? "");
}

/** The last token of `== 0`. */
function comparedWithNothing(tokens: readonly Token[], index: number): Token | null {
  const zero = tokens[index + 1];
  return tokens[index]?.tokenType === EqualEqual && zero?.image === "0" ? zero : null;
}
