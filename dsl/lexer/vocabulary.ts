/** Every token type. Words are lexed as `Identifier`; the word pass makes keywords of those that are not names. */
import { createToken, Lexer, type TokenType } from "chevrotain";
import { foreignOperator } from "./foreign-operator.ts";
import { matchNumber } from "./number.ts";
import { matchString } from "./string.ts";

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
const digits = "0123456789";

const punctuation = (name: string, pattern: string): TokenType =>
  createToken({ name, pattern, label: `\`${pattern}\`` });

/** Never matched by the lexer: the passes after it make these. */
const made = (name: string, label: string): TokenType => createToken({ name, pattern: Lexer.NA, label });

const word = (text: string): TokenType => made(`Word_${text}`, `\`${text}\``);

// ---- matched ----

// Without the flag `y` Chevrotain needs no regular expression for it.
export const Blank = createToken({ name: "Blank", pattern: /[ \t]+/, group: Lexer.SKIPPED });
/** What is invisible in an editor and came in with copied text; in the middle of a word, where it takes no room, it is a mistake. */
export const OddBlank = createToken({
  name: "OddBlank",
  pattern:
    /(?:[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|(?<!\w)[\u200b\u2060\ufeff]|[\u200b\u2060\ufeff](?!\w))+/y,
  start_chars_hint: [..."\u00a0\u1680\u2000\u200b\u202f\u205f\u2060\u3000\ufeff"],
  group: Lexer.SKIPPED,
});
export const Newline = createToken({
  name: "Newline",
  pattern: /\r\n|\n|\r/y,
  start_chars_hint: ["\r", "\n"],
  label: "the end of the line",
});
export const Doc = createToken({ name: "Doc", pattern: /\/\/\/(?!\/)[^\r\n]*/y, start_chars_hint: ["/"] });
export const Comment = createToken({
  name: "Comment",
  // `/*` inside a word is a part of a path, as in `/data/*.txt`, unless a comment's words or its end follow.
  pattern:
    /\/\/[^\r\n]*|#[^\r\n]*|--(?=[ \t])[^\r\n]*|(?:(?<![\w.~/*?}\]-])\/\*|\/\*(?=[ \t]|[^\r\n/]*\*\/(?![\w.*])))[^]*?(?:\*\/|$(?![^]))|<!--[^]*?(?:-->|$(?![^]))/y,
  start_chars_hint: ["/", "#", "-", "<"],
});
export const Identifier = createToken({
  name: "Identifier",
  pattern: /[A-Za-z_][A-Za-z0-9_]*/y,
  start_chars_hint: [...letters],
  label: "a name",
});
export const NumberToken = createToken({
  name: "Number",
  pattern: { exec: matchNumber },
  start_chars_hint: [...digits, "."],
  line_breaks: false,
  label: "a number",
});
/** A whole string; `strings.ts` opens it up when it has interpolations. */
export const StringToken = createToken({
  name: "String",
  pattern: { exec: matchString },
  start_chars_hint: ['"', "'", "‘", "’", "“", "”", "„", "«", "`"],
  line_breaks: true,
  label: "a string",
});
export const ForeignOperator = createToken({
  name: "ForeignOperator",
  pattern: foreignOperator,
  start_chars_hint: [..."*&|=!+-/:;%^@?~$<\\"],
});

export const LeftBrace = punctuation("LeftBrace", "{");
export const RightBrace = punctuation("RightBrace", "}");
export const LeftParen = punctuation("LeftParen", "(");
export const RightParen = punctuation("RightParen", ")");
export const LeftSquare = punctuation("LeftSquare", "[");
export const RightSquare = punctuation("RightSquare", "]");
export const Comma = punctuation("Comma", ",");
export const Arrow = punctuation("Arrow", "=>");
export const EqualEqual = punctuation("EqualEqual", "==");
export const NotEqual = punctuation("NotEqual", "!=");
export const LessEqual = punctuation("LessEqual", "<=");
export const GreaterEqual = punctuation("GreaterEqual", ">=");
export const Less = punctuation("Less", "<");
export const Greater = punctuation("Greater", ">");
export const Equal = punctuation("Equal", "=");
export const Colon = punctuation("Colon", ":");
export const DotDot = punctuation("DotDot", "..");
export const Dot = punctuation("Dot", ".");
export const Plus = punctuation("Plus", "+");
export const Minus = punctuation("Minus", "-");
export const Star = punctuation("Star", "*");
export const Slash = punctuation("Slash", "/");
export const Pipe = punctuation("Pipe", "|");

// ---- made ----

/** A newline or a comma that separates. */
export const Separator = made("Separator", "a comma or a line break");
export const StringOpen = made("StringOpen", "a string");
export const StringText = made("StringText", "text");
export const InterpolationOpen = made("InterpolationOpen", "`${`");
export const InterpolationClose = made("InterpolationClose", "`}`");
export const StringClose = made("StringClose", "the end of the string");
/** Something that is already reported; it parses as an expression. */
export const Mistake = made("Mistake", "an expression");

export const Import = word("import");
export const Param = word("param");
export const Secret = word("secret");
export const Let = word("let");
export const Fn = word("fn");
export const Enum = word("enum");
export const Abstract = word("abstract");
export const Assert = word("assert");
export const Expect = word("expect");
export const Test = word("test");
export const Extends = word("extends");
export const After = word("after");
export const On = word("on");
export const As = word("as");
export const In = word("in");
export const And = word("and");
export const Or = word("or");
export const Not = word("not");
export const Divides = word("divides");
export const Of = word("of");
export const With = word("with");
export const If = word("if");
export const Then = word("then");
export const Else = word("else");
export const For = word("for");
export const Match = word("match");
export const True = word("true");
export const False = word("false");
export const None = word("none");
export const Auto = word("auto");

/** What the lexer tries, in this order. */
export const lexed: TokenType[] = [
  Blank,
  OddBlank,
  Newline,
  Identifier,
  NumberToken,
  StringToken,
  Doc,
  Comment,
  ForeignOperator,
  LeftBrace,
  RightBrace,
  LeftParen,
  RightParen,
  LeftSquare,
  RightSquare,
  Comma,
  Arrow,
  EqualEqual,
  NotEqual,
  LessEqual,
  GreaterEqual,
  Less,
  Greater,
  Equal,
  Colon,
  DotDot,
  Dot,
  Plus,
  Minus,
  Star,
  Slash,
  Pipe,
];

/** What the parser sees. */
export const parsed: TokenType[] = [
  Identifier,
  NumberToken,
  StringToken,
  StringOpen,
  StringText,
  InterpolationOpen,
  InterpolationClose,
  StringClose,
  LeftBrace,
  RightBrace,
  LeftParen,
  RightParen,
  LeftSquare,
  RightSquare,
  Separator,
  Comma,
  Arrow,
  EqualEqual,
  NotEqual,
  LessEqual,
  GreaterEqual,
  Less,
  Greater,
  Equal,
  Colon,
  DotDot,
  Dot,
  Plus,
  Minus,
  Star,
  Slash,
  Pipe,
  Mistake,
  Import,
  Param,
  Secret,
  Let,
  Fn,
  Enum,
  Abstract,
  Assert,
  Expect,
  Test,
  Extends,
  After,
  On,
  As,
  In,
  And,
  Or,
  Not,
  Divides,
  Of,
  With,
  If,
  Then,
  Else,
  For,
  Match,
  True,
  False,
  None,
  Auto,
];
