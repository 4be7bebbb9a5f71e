/** Diagnostics of lexer and parser: what cannot be read as cdr, and what other languages write in its place. */
export * from "./syntax/text.ts";
export * from "./syntax/brackets.ts";
export * from "./syntax/expected.ts";
export * from "./syntax/foreign.ts";
