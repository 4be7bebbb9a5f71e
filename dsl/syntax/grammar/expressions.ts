import type { ParserMethod } from "chevrotain";
import { comprehensionPlace, tuple } from "../../diagnostics/catalog/syntax.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import type { Argument, Comprehension, Expression, Match, Name, Statement, StringLiteral } from "../ast.ts";
import { numberLiteral, stringLiteral } from "../literal.ts";
import { infixOperators, startsExpression, startsPrefix, startsSuffix } from "../operators.ts";
import { arrange, type Element } from "../precedence.ts";
import { longestChain, Reported } from "./base.ts";
import { TypeGrammar } from "./types.ts";

type Arm = Match["arms"][number];

/** Values. Operators are read flat; `arrange` knows which binds tighter. */
export abstract class ExpressionGrammar extends TypeGrammar {
  protected abstract readonly members: ParserMethod<[], readonly Statement[]>;
  /** The next expression is the subject of a `match`: its arms follow in braces. */
  private beforeArms = false;

  protected readonly expression = this.RULE("expression", (): Expression => {
    this.ACTION(() => this.descend());
    const { beforeArms } = this;
    this.beforeArms = false;
    const elements: Element[] = [];
    this.SUBRULE(this.operand, { ARGS: [elements] });
    if (!this.RECORDING_PHASE && !beforeArms && this.nextType() === t.LeftBrace) this.dropLast(elements);
    if (!this.RECORDING_PHASE && !infixOperators.has(this.nextType())) return this.ascend(elements);
    this.MANY(() => {
      const token = this.RECORDING_PHASE ? this.SUBRULE(this.infix) : this.take();
      this.ACTION(() => this.pushInfix(elements, token));
      this.SUBRULE1(this.operand, { ARGS: [elements] });
    });
    return this.ACTION(() => this.ascend(elements));
  });

  /** A block behind a name (`adamw { lr = 1 }`) is reported later on: the name alone would be another mistake. */
  private dropLast(elements: Element[]): void {
    const last = elements.at(-1);
    if (last?.kind !== "operand" || last.expression.kind !== "reference") return;
    elements[elements.length - 1] = { kind: "operand", expression: { kind: "missing", span: last.expression.span } };
  }

  /** What stands behind the operator of a bound: a comparison would be another bound. */
  protected readonly boundValue = this.RULE("boundValue", (): Expression => {
    this.ACTION(() => this.descend());
    const elements: Element[] = [];
    this.SUBRULE(this.operand, { ARGS: [elements] });
    this.MANY(() => {
      const token = this.SUBRULE(this.tightInfix);
      this.ACTION(() => this.pushInfix(elements, token));
      this.SUBRULE1(this.operand, { ARGS: [elements] });
    });
    return this.ACTION(() => this.ascend(elements));
  });

  private pushInfix(elements: Element[], token: Token): void {
    const op = infixOperators.get(token.tokenType);
    if (op !== undefined)
      elements.push({ kind: "infix", op, span: this.spanOf(token), repaired: token.repaired === true });
    if (elements.length > 2 * longestChain) this.failDeep();
  }

  private readonly tightInfix = this.RULE("tightInfix", (): Token =>
    this.OR([
      { ALT: () => this.CONSUME(t.Plus) },
      { ALT: () => this.CONSUME(t.Minus) },
      { ALT: () => this.CONSUME(t.Star) },
      { ALT: () => this.CONSUME(t.Slash) },
      { ALT: () => this.CONSUME(t.Of) },
      { ALT: () => this.CONSUME(t.DotDot) },
    ]),
  );

  private ascend(elements: readonly Element[]): Expression {
    this.depth -= 1;
    return arrange(elements, (diagnostic) => this.remark(diagnostic));
  }

  private readonly infix = this.RULE("infix", (): Token =>
    this.OR([
      { ALT: () => this.SUBRULE(this.tightInfix) },
      { ALT: () => this.CONSUME(t.EqualEqual) },
      { ALT: () => this.CONSUME(t.NotEqual) },
      { ALT: () => this.CONSUME(t.Less) },
      { ALT: () => this.CONSUME(t.LessEqual) },
      { ALT: () => this.CONSUME(t.Greater) },
      { ALT: () => this.CONSUME(t.GreaterEqual) },
      { ALT: () => this.CONSUME(t.And) },
      { ALT: () => this.CONSUME(t.Or) },
      { ALT: () => this.CONSUME(t.In) },
      { ALT: () => this.CONSUME(t.Divides) },
    ]),
  );

  /** Prefixes, a value, and what is glued to it. */
  private readonly operand = this.RULE("operand", (elements: Element[]): void => {
    if (this.RECORDING_PHASE || startsPrefix.has(this.nextType()))
      this.MANY(() => this.SUBRULE(this.prefix, { ARGS: [elements] }));
    let value = (this.RECORDING_PHASE ? null : this.atom()) ?? this.SUBRULE(this.primary);
    let chain = 0;
    if (!this.RECORDING_PHASE && !startsSuffix.has(this.nextType())) {
      elements.push({ kind: "operand", expression: value });
      return;
    }
    this.MANY1(() => {
      this.ACTION(() => {
        chain += 1;
        if (chain > this.deepest) this.failDeep();
      });
      value = this.SUBRULE(this.suffix, { ARGS: [value] });
    });
    this.ACTION(() => elements.push({ kind: "operand", expression: value }));
  });

  private readonly prefix = this.RULE("prefix", (elements: Element[]): void => {
    const token: Token = this.OR([{ ALT: () => this.CONSUME(t.Minus) }, { ALT: () => this.CONSUME(t.Not) }]);
    this.ACTION(() => {
      const op = token.tokenType === t.Not ? "not" : "-";
      elements.push({ kind: "prefix", op, span: this.spanOf(token), repaired: token.repaired === true });
      if (elements.length > 2 * this.deepest) this.failDeep();
    });
  });

  private readonly suffix = this.RULE("suffix", (object: Expression): Expression =>
    this.OR([
      {
        ALT: (): Expression => {
          this.CONSUME(t.Dot);
          const name = this.memberName();
          return { kind: "member", span: this.after(object), object, name };
        },
      },
      {
        ALT: (): Expression => {
          this.CONSUME(t.LeftParen);
          const list = this.SUBRULE(this.arguments);
          this.CONSUME(t.RightParen);
          return { kind: "call", span: this.after(object), callee: object, arguments: list };
        },
      },
      {
        ALT: (): Expression => {
          this.CONSUME(t.LeftSquare);
          const index = this.SUBRULE(this.expression);
          this.OPTION(() => this.CONSUME(t.Separator));
          this.CONSUME(t.RightSquare);
          return { kind: "index", span: this.after(object), object, index };
        },
      },
      {
        ALT: (): Expression => {
          this.CONSUME(t.With);
          this.CONSUME(t.LeftBrace);
          const body = this.SUBRULE(this.members);
          this.CONSUME(t.RightBrace);
          return { kind: "with", span: this.after(object), base: object, body };
        },
      },
    ]),
  );

  /** After the dot; while typing there is none yet, and what stands before the dot is kept. */
  private memberName(): Name {
    if (this.RECORDING_PHASE || this.nextType() === t.Identifier) return this.nameOf(this.CONSUME1(t.Identifier));
    if (this.nextType() !== t.Separator) this.fail("a name");
    this.reportValueMissing();
    return { kind: "name", span: this.spanOfNext(), text: "", quoted: false };
  }

  private after(object: Expression): Span {
    return this.ACTION(() => this.spanFrom(object.span));
  }

  /** The values of one token, which most are, without a rule of their own. */
  private atom(): Expression | null {
    switch (this.nextType()) {
      case t.NumberToken: {
        const token = this.take();
        return numberLiteral(token, this.spanOf(token));
      }
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

  private readonly primary = this.RULE("primary", (): Expression => {
    if (!this.RECORDING_PHASE && !startsExpression.has(this.nextType())) return this.missing();
    return this.OR([
      {
        ALT: (): Expression => {
          const token = this.CONSUME(t.NumberToken);
          return this.ACTION(() => numberLiteral(token, this.spanOf(token)));
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
    ]);
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

  private readonly arguments = this.RULE("arguments", (): readonly Argument[] => {
    const list: Argument[] = [];
    this.items(() => {
      const argument = this.SUBRULE(this.argument);
      list.push(argument);
    });
    return list;
  });

  private readonly argument = this.RULE("argument", (): Argument =>
    this.OR([
      {
        GATE: () => this.nextType(2) === t.Equal || this.nextType(2) === t.Colon,
        ALT: (): Argument => {
          const name = this.nameOf(this.CONSUME(t.Identifier));
          this.SUBRULE(this.equal, { ARGS: [name] });
          const value = this.SUBRULE1(this.expression);
          return { kind: "argument", span: this.spanFrom(name.span), name, value };
        },
      },
      {
        ALT: (): Argument => {
          const value = this.SUBRULE2(this.expression);
          return { kind: "argument", span: this.ACTION(() => value.span), name: null, value };
        },
      },
    ]),
  );

  protected abstract readonly equal: ParserMethod<[name: Name], void>;

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
    const result: Expression = { kind: "list", span, items };
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
    this.CONSUME(t.Then);
    const then = this.SUBRULE1(this.expression);
    this.CONSUME(t.Else);
    const otherwise = this.SUBRULE2(this.expression);
    // oxlint-disable-next-line unicorn/no-thenable -- the tree names it as the language does
    return { kind: "if", span: this.spanFrom(word), condition, then, else: otherwise };
  });

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
    this.CONSUME(t.Arrow);
    const body = this.SUBRULE2(this.expression);
    return { patterns, body, span: this.spanFrom(first) };
  });

  private descend(): void {
    this.depth += 1;
    if (this.depth > this.deepest) this.failDeep();
  }
}
