import type { ParserMethod } from "chevrotain";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import type { Argument, Expression, Name } from "../ast.ts";
import { infixOperators, startsPrefix, startsSuffix } from "../operators.ts";
import { arrange, type Element } from "../precedence.ts";
import { longestChain } from "./limits.ts";
import { unnamed } from "./unnamed.ts";
import { PrimaryGrammar } from "./primaries.ts";

/** Values. Operators are read flat; `arrange` knows which binds tighter. */
export abstract class ExpressionGrammar extends PrimaryGrammar {
  protected readonly expression = this.RULE("expression", (): Expression => {
    if (!this.RECORDING_PHASE) this.descend();
    const { beforeArms } = this;
    this.beforeArms = false;
    if (!this.RECORDING_PHASE && this.nextType(2) === t.Separator) {
      const only = this.atom();
      if (only !== null) {
        this.depth -= 1;
        return only;
      }
    }
    if (this.RECORDING_PHASE) {
      this.SUBRULE(this.operand, { ARGS: [[]] });
      return this.operation([]);
    }
    const elements = startsPrefix(this.nextType()) ? this.prefixes([]) : null;
    const value = this.glued();
    const next = this.nextType();
    const opensBlock = !beforeArms && next === t.LeftBrace;
    const first = opensBlock ? beforeBlock(value) : value;
    if (elements === null && (next === t.Separator || !infixOperators.has(next))) {
      this.depth -= 1;
      return first;
    }
    return this.operation([...(elements ?? []), { kind: "operand", expression: first }]);
  });

  /** The operators behind the first operand, with theirs. */
  private operation(elements: Element[]): Expression {
    if (this.RECORDING_PHASE) {
      this.MANY(() => {
        this.SUBRULE(this.infix);
        this.SUBRULE1(this.operand, { ARGS: [elements] });
      });
      return { kind: "missing", span: unnamed.span };
    }
    while (infixOperators.has(this.nextType())) {
      this.pushInfix(elements, this.take());
      this.pushOperand(elements);
    }
    return this.ascend(elements);
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
    if (this.RECORDING_PHASE) {
      this.MANY(() => this.SUBRULE(this.prefix, { ARGS: [elements] }));
      const value = this.SUBRULE(this.primary);
      this.MANY1(() => this.SUBRULE(this.suffix, { ARGS: [value] }));
    } else this.pushOperand(elements);
  });

  private pushOperand(elements: Element[]): void {
    this.prefixes(elements);
    elements.push({ kind: "operand", expression: this.glued() });
  }

  private prefixes(elements: Element[]): Element[] {
    while (startsPrefix(this.nextType())) this.SUBRULE(this.prefix, { ARGS: [elements] });
    return elements;
  }

  /** A value and what is glued to it, which a loop reads with less garbage than `MANY`. */
  private glued(): Expression {
    let value = this.atom() ?? this.SUBRULE(this.primary);
    for (let chain = 1; startsSuffix(this.nextType()); chain++) {
      if (chain > this.deepest) this.failDeep();
      const next = this.nextType();
      if (next === t.Dot) value = this.memberOf(value);
      else if (next === t.LeftParen) value = this.callOf(value);
      else value = this.SUBRULE(this.suffix, { ARGS: [value] });
    }
    return value;
  }

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
      { ALT: (): Expression => this.memberOf(object) },
      { ALT: (): Expression => this.callOf(object) },
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

  private memberOf(object: Expression): Expression {
    this.CONSUME(t.Dot);
    const name = this.memberName();
    return { kind: "member", span: this.after(object), object, name };
  }

  private callOf(object: Expression): Expression {
    this.CONSUME(t.LeftParen);
    const list = this.SUBRULE(this.arguments);
    this.CONSUME(t.RightParen);
    return { kind: "call", span: this.after(object), callee: object, arguments: list };
  }

  /** After the dot; while typing there is none yet, and what stands before the dot is kept. */
  private memberName(): Name {
    if (this.RECORDING_PHASE || this.nextType() === t.Identifier) return this.nameOf(this.CONSUME1(t.Identifier));
    if (this.nextType() !== t.Separator) this.fail("a name");
    this.reportValueMissing();
    return { kind: "name", span: this.spanOfNext(), text: "", quoted: false };
  }

  private after(object: Expression): Span {
    return this.RECORDING_PHASE ? unnamed.span : this.spanFrom(object.span);
  }

  private readonly arguments = this.RULE("arguments", (): readonly Argument[] => this.listOf(this.oneArgument));
  private readonly oneArgument = (): Argument => this.SUBRULE(this.argument);

  private readonly argument = this.RULE("argument", (): Argument => {
    if (!this.RECORDING_PHASE) return this.isNamed() ? this.namedArgument() : this.positionalArgument();
    return this.OR([
      { GATE: () => this.isNamed(), ALT: (): Argument => this.namedArgument() },
      { ALT: (): Argument => this.positionalArgument() },
    ]);
  });

  private isNamed(): boolean {
    const next = this.nextType(2);
    return this.nextType() === t.Identifier && (next === t.Equal || next === t.Colon);
  }

  private namedArgument(): Argument {
    const name = this.nameOf(this.CONSUME(t.Identifier));
    this.takeEqual(name);
    const value = this.SUBRULE1(this.expression);
    return { kind: "argument", span: this.spanFrom(name.span), name, value };
  }

  private positionalArgument(): Argument {
    const value = this.SUBRULE2(this.expression);
    return { kind: "argument", span: this.RECORDING_PHASE ? unnamed.span : value.span, name: null, value };
  }

  protected abstract readonly equal: ParserMethod<[name: Name], void>;

  /** The sign behind a name, which nearly always is `=`. */
  protected takeEqual(name: Name): void {
    if (!this.RECORDING_PHASE && this.nextType() === t.Equal) this.consumeToken();
    else this.SUBRULE(this.equal, { ARGS: [name] });
  }

  private descend(): void {
    this.depth += 1;
    if (this.depth > this.deepest) this.failDeep();
  }
}

/** A block behind a name (`adamw { lr = 1 }`) is reported later on: the name alone would be another mistake. */
function beforeBlock(value: Expression): Expression {
  return value.kind === "reference" ? { kind: "missing", span: value.span } : value;
}
