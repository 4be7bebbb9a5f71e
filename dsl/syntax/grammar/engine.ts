import { EmbeddedActionsParser } from "chevrotain";
import type { Token, TokenType } from "../../lexer/token.ts";

/** A rule as Chevrotain makes it of what is written. */
interface Called<R> {
  readonly ruleName: string;
  /** Chevrotain's number of it, once it was called. */
  shortName?: number;
  readonly originalGrammarAction: (argument: unknown) => R;
}

/** How rules call each other and take tokens: Chevrotain's way without what its own recovery needs on every level. */
export abstract class Engine extends EmbeddedActionsParser {
  /** Chevrotain's state; its public interface has no names for it. */
  declare protected currIdx: number;
  declare protected currRuleShortName: number;
  declare protected currRuleLookaheadFuncs: unknown;
  declare protected readonly lookAheadFuncsCache: readonly unknown[];
  declare protected readonly fullRuleNameToShort: Readonly<Record<string, number>>;
  declare private readonly consumeInternalError: (type: TokenType, next: Token, options: unknown) => never;
  declare protected consumeToken: () => void;

  /**
   * Calls a rule of this grammar. Chevrotain would keep stacks of rules for its own recovery and catch what is thrown on
   * every level; here `items` recovers.
   */
  protected subruleInternal<R>(
    rule: Called<R>,
    _occurrence: number,
    options?: { readonly ARGS?: readonly unknown[] },
  ): R {
    const { currRuleShortName, currRuleLookaheadFuncs } = this;
    const name = (rule.shortName ??= this.fullRuleNameToShort[rule.ruleName] ?? -1);
    this.currRuleShortName = name;
    this.currRuleLookaheadFuncs = this.lookAheadFuncsCache[name];
    const result = rule.originalGrammarAction.call(this, options?.ARGS?.[0]);
    this.currRuleShortName = currRuleShortName;
    this.currRuleLookaheadFuncs = currRuleLookaheadFuncs;
    return result;
  }

  protected consumeInternal(type: TokenType, _occurrence: number, options?: unknown): Token {
    const token = this.LA(1);
    if (token.tokenType !== type) return this.consumeInternalError(type, token, options);
    this.currIdx += 1;
    return token;
  }

  /** Takes the next token, whose type is known. */
  protected take(): Token {
    const token = this.LA(1);
    this.consumeToken();
    return token;
  }

  protected nextType(ahead = 1): TokenType {
    return this.LA(ahead).tokenType;
  }
}
