import { EOF } from "chevrotain";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";

/** A token in the words of a message. */
export function describeToken(token: Token): string {
  switch (token.tokenType) {
    case t.Separator:
      return token.image === "," ? "`,`" : "the end of the line";
    case t.StringToken:
    case t.StringOpen:
      return token.image.length <= 20 && !/[\r\n]/.test(token.image) ? `\`${token.image}\`` : "a string";
    case EOF:
      return "the end of the file";
    case t.Mistake:
      return "this";
    default:
      return token.image === "" ? (token.tokenType.LABEL ?? token.tokenType.name) : `\`${token.image}\``;
  }
}
