import {
  Alternation,
  Alternative,
  type ILookaheadStrategy,
  type IProduction,
  type IToken,
  LLkLookaheadStrategy,
  NonTerminal,
  Option,
  Repetition,
  type Rule,
  Terminal,
} from "chevrotain";

type Alternatives = readonly { readonly GATE?: (() => boolean) | undefined }[];
interface Reader {
  LA(howMuch: number): IToken;
}

/**
 * Decides by the next token alone, which this grammar allows; the one place that needs a second token has a gate.
 * Chevrotain's own strategy finds the same in ten times the time, and every start of the compiler would pay for it.
 */
export class FirstTokenLookahead implements ILookaheadStrategy {
  private readonly firsts = new Map<Rule, ReadonlySet<number>>();

  validate(options: Parameters<ILookaheadStrategy["validate"]>[0]): ReturnType<ILookaheadStrategy["validate"]> {
    return new LLkLookaheadStrategy({ maxLookahead: 2 }).validate(options);
  }

  buildLookaheadForAlternation({
    prodOccurrence,
    rule,
  }: Parameters<ILookaheadStrategy["buildLookaheadForAlternation"]>[0]): (
    alternatives?: Alternatives,
  ) => number | undefined {
    const production = find(rule, (each) => each instanceof Alternation && each.idx === prodOccurrence);
    const byToken: number[][] = [];
    for (const [index, alternative] of childrenOf(production).entries()) {
      for (const token of this.firstOf(childrenOf(alternative))) (byToken[token] ??= []).push(index);
    }
    return function (this: Reader, alternatives?: Alternatives): number | undefined {
      const possible = byToken[this.LA(1).tokenTypeIdx];
      if (possible === undefined || possible.length === 1) return possible?.[0];
      return possible.find((index) => alternatives?.[index]?.GATE?.() ?? true);
    };
  }

  buildLookaheadForOptional({
    prodOccurrence,
    rule,
    prodType,
  }: Parameters<ILookaheadStrategy["buildLookaheadForOptional"]>[0]): () => boolean {
    const type = prodType === "Option" ? Option : Repetition;
    const production = find(rule, (each) => each instanceof type && each.idx === prodOccurrence);
    const begins: boolean[] = [];
    for (const token of this.firstOf(childrenOf(production))) begins[token] = true;
    return function (this: Reader): boolean {
      return begins[this.LA(1).tokenTypeIdx] === true;
    };
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
