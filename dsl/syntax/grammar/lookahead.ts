import {
  Alternation,
  Alternative,
  type ILookaheadStrategy,
  type IProduction,
  LLkLookaheadStrategy,
  NonTerminal,
  Option,
  Repetition,
  type Rule,
  Terminal,
} from "chevrotain";
import { type Choice, choice, type Entry, entry } from "./decision.ts";

/** What was decided by: token types, for each alternative of a choice or for an optional part. */
export type Firsts = readonly (readonly number[])[] | readonly number[];

/**
 * Decides by the next token alone, which this grammar allows; the one place that needs a second token has a gate. The
 * decisions are kept in `decisions.json`, since finding them takes longer than reading a file.
 */
export class FirstTokenLookahead implements ILookaheadStrategy {
  /** What each function that was built decides by. */
  readonly built = new Map<unknown, Firsts>();
  private readonly firsts = new Map<Rule, ReadonlySet<number>>();

  validate(options: Parameters<ILookaheadStrategy["validate"]>[0]): ReturnType<ILookaheadStrategy["validate"]> {
    return new LLkLookaheadStrategy({ maxLookahead: 2 }).validate(options);
  }

  buildLookaheadForAlternation({
    prodOccurrence,
    rule,
  }: Parameters<ILookaheadStrategy["buildLookaheadForAlternation"]>[0]): Choice {
    const production = find(rule, (each) => each instanceof Alternation && each.idx === prodOccurrence);
    const firsts = childrenOf(production).map((alternative) => [...this.firstOf(childrenOf(alternative))]);
    return this.keep(choice(firsts), firsts);
  }

  buildLookaheadForOptional({
    prodOccurrence,
    rule,
    prodType,
  }: Parameters<ILookaheadStrategy["buildLookaheadForOptional"]>[0]): Entry {
    const type = prodType === "Option" ? Option : Repetition;
    const production = find(rule, (each) => each instanceof type && each.idx === prodOccurrence);
    const firsts = [...this.firstOf(childrenOf(production))];
    return this.keep(entry(firsts), firsts);
  }

  private keep<T>(decide: T, firsts: Firsts): T {
    this.built.set(decide, firsts);
    return decide;
  }

  /** The tokens that a sequence can begin with. */
  private firstOf(sequence: readonly IProduction[]): ReadonlySet<number> {
    const tokens = new Set<number>();
    for (const production of sequence) {
      for (const token of this.firstOfOne(production)) tokens.add(token);
      if (!isOptional(production)) break;
    }
    return tokens;
  }

  private firstOfOne(production: IProduction): Iterable<number> {
    if (production instanceof Terminal) return [production.terminalType.tokenTypeIdx ?? -1];
    if (production instanceof NonTerminal) {
      const rule = production.referencedRule;
      const known = this.firsts.get(rule) ?? this.firstOf(rule.definition);
      this.firsts.set(rule, known);
      return known;
    }
    if (!(production instanceof Alternation)) return this.firstOf(childrenOf(production));
    return production.definition.flatMap((alternative) => [...this.firstOf(childrenOf(alternative))]);
  }
}

function find(rule: Rule, wanted: (production: IProduction) => boolean): IProduction {
  const open: IProduction[] = [...rule.definition];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (wanted(each)) return each;
    open.push(...childrenOf(each));
  }
  throw new Error(`the rule ${rule.name} has no such production`);
}

function childrenOf(production: IProduction): readonly IProduction[] {
  const holds =
    production instanceof Option ||
    production instanceof Repetition ||
    production instanceof Alternation ||
    production instanceof Alternative;
  return holds ? production.definition : [];
}

function isOptional(production: IProduction): boolean {
  if (production instanceof Option || production instanceof Repetition) return true;
  if (production instanceof NonTerminal) return production.referencedRule.definition.every(isOptional);
  return (
    production instanceof Alternation && production.definition.some((each) => childrenOf(each).every(isOptional))
  );
}
