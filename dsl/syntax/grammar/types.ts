import * as t from "../../lexer/vocabulary.ts";
import { stringText } from "../literal.ts";
import type { Name, Path, StringLiteral, TypeExpression } from "../ast.ts";
import { GrammarBase } from "./base.ts";

/** Dotted names and types. */
export abstract class TypeGrammar extends GrammarBase {
  protected readonly path = this.RULE("path", (): Path => {
    const first = this.nameOf(this.CONSUME(t.Identifier));
    if (!this.RECORDING_PHASE && this.nextType() !== t.Dot) return [first];
    const others: Name[] = [];
    this.MANY(() => {
      this.CONSUME(t.Dot);
      others.push(this.nameOf(this.CONSUME1(t.Identifier)));
    });
    return [first, ...others];
  });

  /** A string in a place where no value can be put in: an import, the title of a test, a literal type. */
  protected readonly plainString = this.RULE("plainString", (): StringLiteral => {
    const token = this.CONSUME(t.StringToken);
    return { kind: "string", span: this.spanOf(token), parts: stringText(token) };
  });

  protected readonly type = this.RULE("type", (): TypeExpression => {
    const first = this.SUBRULE(this.ratio);
    const members = [first];
    this.MANY(() => {
      this.CONSUME(t.Pipe);
      members.push(this.SUBRULE1(this.ratio));
    });
    return members.length === 1 ? first : { kind: "union_type", span: this.spanFrom(first.span), members };
  });

  private readonly ratio = this.RULE("ratio", (): TypeExpression => {
    let numerator = this.SUBRULE(this.singleType);
    let chain = 0;
    this.MANY(() => {
      chain += 1;
      if (chain > this.deepest) this.failDeep();
      this.CONSUME(t.Slash);
      const denominator = this.SUBRULE1(this.singleType);
      const span = this.ACTION(() => this.spanFrom(numerator.span));
      numerator = { kind: "ratio_type", span, numerator, denominator };
    });
    return numerator;
  });

  private readonly singleType = this.RULE("singleType", (): TypeExpression =>
    this.OR({
      DEF: [
        {
          ALT: (): TypeExpression => {
            const path = this.SUBRULE(this.path);
            return { kind: "named_type", span: this.spanFrom(this.ACTION(() => path[0].span)), path };
          },
        },
        {
          ALT: (): TypeExpression => {
            const name = this.nameOf(
              this.OR1([{ ALT: () => this.CONSUME(t.None) }, { ALT: () => this.CONSUME(t.Auto) }]),
            );
            return { kind: "named_type", span: name.span, path: [name] };
          },
        },
        {
          ALT: (): TypeExpression => {
            const open = this.CONSUME(t.LeftSquare);
            const element = this.SUBRULE(this.type);
            this.OPTION(() => this.CONSUME(t.Separator));
            this.CONSUME(t.RightSquare);
            return { kind: "list_type", span: this.spanFrom(open), element };
          },
        },
        {
          ALT: (): TypeExpression => {
            const value = this.SUBRULE(this.plainString);
            return { kind: "literal_type", span: this.spanFrom(value.span), value };
          },
        },
      ],
      ERR_MSG: "a type",
    }),
  );
}
