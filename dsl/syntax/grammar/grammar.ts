import type { ILookaheadStrategy } from "chevrotain";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { parsed } from "../../lexer/vocabulary.ts";
import type { Source } from "../../source/source.ts";
import type { Expression, Statement } from "../ast.ts";
import type { Layout } from "../layout.ts";
import { type Choice, choice, type Entry, entry } from "./decision.ts";
import known from "./decisions.json" with { type: "json" };
import { StatementGrammar } from "./statements.ts";

/** By rule and by Chevrotain's key of a place in it: names of token types, for each alternative or for one part. */
export type Decisions = Readonly<Record<string, Readonly<Record<string, readonly (string | readonly string[])[]>>>>;

const recalled: ILookaheadStrategy = {
  validate: () => [],
  buildLookaheadForAlternation: () => choice([]),
  buildLookaheadForOptional: () => entry([]),
};

/** The two things that can be read: a file and a single value. */
export class Grammar extends StatementGrammar {
  declare protected selfAnalysisDone: boolean;
  declare protected readonly setLaFuncCache: (rule: number, key: number, decide: Choice | Entry) => void;

  private readonly values = this.RULE("values", (): readonly Expression[] => {
    const list: Expression[] = [];
    this.items(() => list.push(this.SUBRULE(this.expression)));
    return list;
  });

  /** Without a strategy, the decisions that a test found with one are taken from `decisions.json`. */
  constructor(strategy?: ILookaheadStrategy, deepest?: number) {
    super(strategy ?? recalled, deepest);
    if (strategy === undefined) this.recall(known);
    else this.performSelfAnalysis();
  }

  readFile(source: Source, layout: Layout): { statements: readonly Statement[]; diagnostics: readonly Diagnostic[] } {
    this.prepare(source, layout);
    const statements = this.members();
    return { statements, diagnostics: this.release() };
  }

  readExpression(source: Source, layout: Layout): { expression: Expression; diagnostics: readonly Diagnostic[] } {
    this.prepare(source, layout);
    const [first, second] = this.values();
    if (second !== undefined) this.refuseSecond(second.span);
    const nothing: Expression = { kind: "missing", span: { source, start: 0, end: source.text.length } };
    if (first === undefined && this.diagnostics.length === 0) this.reportValueMissing();
    return { expression: first ?? nothing, diagnostics: this.release() };
  }

  private recall(decisions: Decisions): void {
    const types = new Map(parsed.map((type) => [type.name, type.tokenTypeIdx ?? -1]));
    const numbers = (names: readonly string[]): readonly number[] => names.map((name) => types.get(name) ?? -1);
    for (const [rule, places] of Object.entries(decisions)) {
      for (const [key, firsts] of Object.entries(places)) {
        const names = firsts.filter((first) => typeof first === "string");
        const decide =
          names.length > 0 ? entry(numbers(names)) : choice(firsts.map((first) => numbers([first].flat())));
        this.setLaFuncCache(this.fullRuleNameToShort[rule] ?? -1, Number(key), decide);
      }
    }
    this.selfAnalysisDone = true;
  }
}
