import { parsed } from "../../dsl/lexer/vocabulary.ts";
import type { Choice, Entry } from "../../dsl/syntax/grammar/decision.ts";
import { type Decisions, Grammar } from "../../dsl/syntax/grammar/grammar.ts";
import { FirstTokenLookahead } from "../../dsl/syntax/grammar/lookahead.ts";

/** The grammar as Chevrotain analyses and validates it, and what it found. */
class AnalysedGrammar extends Grammar {
  declare protected readonly shortRuleNameToFull: readonly string[];
  declare protected readonly lookAheadFuncsCache: readonly (Readonly<Record<string, Choice | Entry>> | undefined)[];

  decisions(strategy: FirstTokenLookahead): Decisions {
    const names = new Map(parsed.map((type) => [type.tokenTypeIdx ?? -1, type.name]));
    const nameOf = (token: number): string => names.get(token) ?? String(token);
    const rules = this.lookAheadFuncsCache.flatMap((places, rule) => {
      const entries = Object.entries(places ?? {}).map(([key, decide]) => [
        key,
        (strategy.built.get(decide) ?? []).map((first) =>
          typeof first === "number" ? nameOf(first) : first.map(nameOf),
        ),
      ]);
      return [[this.shortRuleNameToFull[rule], Object.fromEntries(entries)]];
    });
    return Object.fromEntries(rules);
  }
}

export function analyseGrammar(): Decisions {
  const strategy = new FirstTokenLookahead();
  return new AnalysedGrammar(strategy).decisions(strategy);
}
