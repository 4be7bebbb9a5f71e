import { EOF, type IOrAlt, type IToken, type ParserMethod } from "chevrotain";
import type { Edit } from "../../diagnostics/diagnostic.ts";
import { comprehensionPlace, foreignForm, tuple } from "../../diagnostics/catalog/syntax.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Comprehension, Expression, Match, Statement, StringLiteral } from "../ast.ts";
import { numberLiteral, stringLiteral } from "../literal.ts";
import { startsExpression } from "../operators.ts";
import { elifAt } from "./elif-at.ts";
import { Reported } from "./reported.ts";
import { TypeGrammar } from "./types.ts";

type Arm = Match["arms"][number];

/** Values without operators. */
export abstract class PrimaryGrammar extends TypeGrammar {
  protected abstract readonly members: ParserMethod<[], readonly Statement[]>;
  protected abstract readonly expression: ParserMethod<[], Expression>;
  /** The next expression is the subject of a `match`: its arms follow in braces. */
  protected beforeArms = false;
  private primaries: IOrAlt<Expression>[] | undefined;

  /** The values of one token, which most are, without a rule of their own. */
  protected atom(): Expression | null {
    switch (this.nextType()) {
      case t.NumberToken:
        return numberLiteral(this.take());
      case t.Identifier: {
        const name = this.nameOf(this.take());
        return { kind: "reference", span: name.span, name };
      }
      case t.StringToken: {
        const token = this.take();
        return stringLiteral(token, this.spanOf(token));
      }
      default:
        return null;
    }
  }

  protected readonly primary = this.RULE("primary", (): Expression => {
    if (!this.RECORDING_PHASE && !startsExpression.has(this.nextType())) return this.missing();
    // Made once: none of them holds anything of this call.
    return this.OR(
      (this.primaries ??= [
        {
          ALT: (): Expression => {
            const token = this.CONSUME(t.NumberToken);
            return this.ACTION(() => numberLiteral(token));
          },
        },
        {
          ALT: (): Expression => {
            const token = this.CONSUME(t.Identifier);
            const name = this.nameOf(token);
            return { kind: "reference", span: name.span, name };
          },
        },
        {
          ALT: (): Expression => {
            const token = this.CONSUME(t.StringToken);
            return this.ACTION(() => stringLiteral(token, this.spanOf(token)));
          },
        },
        { ALT: (): Expression => this.SUBRULE(this.interpolated) },
        { ALT: (): Expression => ({ kind: "bool", span: this.spanOf(this.CONSUME(t.True)), value: true }) },
        { ALT: (): Expression => ({ kind: "bool", span: this.spanOf(this.CONSUME(t.False)), value: false }) },
        { ALT: (): Expression => ({ kind: "none", span: this.spanOf(this.CONSUME(t.None)) }) },
        { ALT: (): Expression => ({ kind: "auto", span: this.spanOf(this.CONSUME(t.Auto)) }) },
        { ALT: (): Expression => this.SUBRULE(this.list) },
        { ALT: (): Expression => this.SUBRULE(this.group) },
        {
          ALT: (): Expression => {
            const open = this.CONSUME(t.LeftBrace);
            const members = this.SUBRULE(this.members);
            this.CONSUME(t.RightBrace);
            return { kind: "record", span: this.spanFrom(open), members };
          },
        },
        { ALT: (): Expression => this.SUBRULE(this.choice) },
        { ALT: (): Expression => this.SUBRULE(this.match) },
        {
          ALT: (): Expression => {
            const span = this.spanOf(this.CONSUME(t.Mistake));
            this.quiet = true;
            return { kind: "missing", span };
          },
        },
      ]),
    );
  });

  private missing(): Expression {
    if (this.nextType() !== t.Mistake) this.reportValueMissing();
    const { source, end } = this.spanFrom(this.LA(0));
    return { kind: "missing", span: { source, start: end, end } };
  }

  private readonly interpolated = this.RULE("interpolated", (): StringLiteral => {
    const open: Token = this.CONSUME(t.StringOpen);
    const parts: (string | Expression)[] = [];
    this.MANY(() => {
      this.OR([
        {
          ALT: () => {
            const { payload } = this.CONSUME(t.StringText);
            if (typeof payload === "string") parts.push(payload);
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.InterpolationOpen);
            parts.push(this.SUBRULE(this.expression));
            if (this.RECORDING_PHASE) this.CONSUME(t.InterpolationClose);
            else this.endInterpolation();
          },
        },
      ]);
    });
    this.CONSUME(t.StringClose);
    const literal: StringLiteral = { kind: "string", span: this.spanFrom(open), parts };
    return open.repaired === true ? { ...literal, repaired: true } : literal;
  });

  /** Whatever stands behind the expression of an interpolation does not cost more than the interpolation. */
  private endInterpolation(): void {
    if (this.nextType() !== t.InterpolationClose && this.nextType() !== t.Mistake) {
      try {
        this.fail("`}`");
      } catch (error) {
        if (!(error instanceof Reported)) throw error;
      }
    }
    for (let depth = 0; depth > 0 || this.nextType() !== t.InterpolationClose; this.consumeToken()) {
      if (this.nextType() === t.InterpolationOpen) depth += 1;
      else if (this.nextType() === t.InterpolationClose) depth -= 1;
    }
    this.consumeToken();
  }

  /** `[x for x in xs where x > 1]`. */
  private refuseWhere(): void {
    const word = this.LA(1);
    if (word.tokenType !== t.Identifier || (word.image !== "where" && word.image !== "when")) return;
    const span = this.spanOf(word);
    const fixes = [{ title: "write `if`", edits: [{ span, newText: "if" }] }];
    this.report(foreignForm(span, { written: word.image, instead: "what is kept follows `if`" }, { fixes }));
    throw new Reported();
  }

  private readonly list = this.RULE("list", (): Expression => {
    const open = this.CONSUME(t.LeftSquare);
    const items: Expression[] = [];
    const computed: Omit<Comprehension, "span">[] = [];
    let place = this.spanOf(open);
    this.items(() => {
      const element = this.SUBRULE(this.expression);
      items.push(element);
      this.OPTION(() => {
        const word = this.CONSUME(t.For);
        const variable = this.nameOf(this.CONSUME(t.Identifier));
        this.CONSUME(t.In);
        const over = this.SUBRULE1(this.expression);
        let condition: Expression | null = null;
        this.ACTION(() => this.refuseWhere());
        this.OPTION1(() => {
          this.CONSUME(t.If);
          condition = this.SUBRULE2(this.expression);
        });
        place = this.spanOf(word);
        computed.push({ kind: "comprehension", element, variable, over, condition });
      });
    });
    this.CONSUME(t.RightSquare);
    const span = this.spanFrom(open);
    const result: Expression = { kind: "list", span, items: items.slice() };
    const [only] = computed;
    if (only === undefined) return result;
    if (items.length === 1) return { ...only, span };
    this.remark(comprehensionPlace(place, {}));
    return result;
  });

  /** Round brackets around one value; around several they are another language's list. */
  private readonly group = this.RULE("group", (): Expression => {
    const open = this.CONSUME(t.LeftParen);
    const items: Expression[] = [];
    this.items(() => items.push(this.SUBRULE(this.expression)));
    const close = this.CONSUME(t.RightParen);
    return this.ACTION(() => {
      const [first] = items;
      if (first !== undefined && items.length === 1) return first;
      const span = this.spanFrom(open);
      const edits = [
        { span: this.spanOf(open), newText: "[" },
        { span: this.spanOf(close), newText: "]" },
      ];
      if (!this.quiet) this.diagnostics.push(tuple(span, {}, { fixes: [{ title: "write `[ ]`", edits }] }));
      return { kind: "list", span, items };
    });
  });

  private readonly choice = this.RULE("choice", (): Expression => {
    const word = this.CONSUME(t.If);
    const condition = this.SUBRULE(this.expression);
    if (!this.RECORDING_PHASE && this.nextType() === t.LeftBrace) this.refuseBraces();
    this.CONSUME(t.Then);
    const then = this.SUBRULE1(this.expression);
    this.ACTION(() => this.refuseElif());
    this.CONSUME(t.Else);
    const otherwise = this.SUBRULE2(this.expression);
    // oxlint-disable-next-line unicorn/no-thenable -- the tree names it as the language does
    return { kind: "if", span: this.spanFrom(word), condition, then, else: otherwise };
  });

  /** `if a then b elif c then d else e`, as many as there are. */
  private refuseElif(): void {
    const elifIn = (token: IToken) => elifAt(token, this.spanOf(token));
    const first = elifIn(this.LA(0)) !== null ? 0 : this.LA(1).tokenType === t.Separator ? 2 : 1;
    const place = elifIn(this.LA(first));
    if (place === null) return;
    const edits: Edit[] = [];
    for (let ahead = first; this.LA(ahead).tokenType !== EOF; ahead++) {
      const span = elifIn(this.LA(ahead));
      if (span !== null) edits.push({ span, newText: "else if" });
      else if (this.LA(ahead).tokenType === t.Separator && elifIn(this.LA(ahead + 1)) === null) break;
    }
    const fixes = [{ title: "write `else if`", edits }];
    const written = place.source.text.slice(place.start, place.end);
    this.report(foreignForm(place, { written, instead: "another condition follows `else if`" }, { fixes }));
    throw new Reported();
  }

  private readonly match = this.RULE("match", (): Match => {
    const word = this.CONSUME(t.Match);
    this.ACTION(() => {
      this.beforeArms = true;
    });
    const subject = this.SUBRULE(this.expression);
    const arms: Arm[] = [];
    let otherwise: Expression | null = null;
    this.CONSUME(t.LeftBrace);
    this.items(() => {
      const arm = this.SUBRULE(this.arm);
      this.ACTION(() => {
        if (arm.patterns.length === 0) otherwise = arm.body;
        else arms.push(arm);
      });
    });
    this.CONSUME(t.RightBrace);
    return { kind: "match", span: this.spanFrom(word), subject, arms, otherwise };
  });

  private readonly arm = this.RULE("arm", (): Arm => {
    const first = this.LA(1);
    const patterns: Expression[] = [];
    this.OR([
      { ALT: () => this.CONSUME(t.Else) },
      {
        ALT: () => {
          patterns.push(this.SUBRULE(this.expression));
          this.MANY(() => {
            this.CONSUME(t.Pipe);
            patterns.push(this.SUBRULE1(this.expression));
          });
        },
      },
    ]);
    if (!this.RECORDING_PHASE && first.image === "case" && this.nextType() !== t.Arrow) this.refuseCase(first);
    this.CONSUME(t.Arrow);
    const body = this.SUBRULE2(this.expression);
    const isRest = first.image === "_" && patterns.length === 1;
    if (isRest) this.remarkRest(first);
    return { patterns: isRest ? [] : patterns, body, span: this.spanFrom(first) };
  });

  /** `if c { a } else { b }`. */
  private refuseBraces(): never {
    const instead = "a conditional value has no braces: `if c then a else b`";
    this.report(foreignForm(this.spanOf(this.LA(1)), { written: "if … {", instead }));
    throw new Reported();
  }

  /** `case 1: a`. */
  private refuseCase(word: Token): never {
    this.report(
      foreignForm(this.spanOf(word), { written: "case", instead: "a row of a `match` is `value => result`" }),
    );
    throw new Reported();
  }

  private remarkRest(word: Token): void {
    const span = this.spanOf(word);
    const fixes = [{ title: "write `else`", edits: [{ span, newText: "else" }] }];
    this.remark(foreignForm(span, { written: "_", instead: "the default row is `else`" }, { fixes }));
  }
}
