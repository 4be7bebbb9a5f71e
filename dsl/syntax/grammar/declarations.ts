import * as t from "../../lexer/vocabulary.ts";
import type { BoundOperator, Enum, Expression, Function, Import, Name, Param, TypeExpression } from "../ast.ts";
import { boundOperators } from "../operators.ts";
import { RefusingGrammar } from "./refusals.ts";

type Bounds = Param["bounds"];
type Parameter = Function["parameters"][number];

/** What begins with a word of the language and a name: imports, params, functions, enums. */
export abstract class DeclarationGrammar extends RefusingGrammar {
  /** The name that a declaration gives; quotes around it are a newcomer's. */
  protected readonly declaredName = this.RULE("declaredName", (): Name => {
    if (!this.RECORDING_PHASE && this.nextType() === t.Identifier) return this.wholeName(this.take());
    return this.OR({
      DEF: [
        { ALT: (): Name => this.wholeName(this.CONSUME(t.Identifier)) },
        {
          ALT: (): Name => {
            const token = this.CONSUME(t.StringToken);
            return this.ACTION(() => this.unquoted(token));
          },
        },
      ],
      ERR_MSG: "a name",
    });
  });

  /** `=`; also `:`, where other languages give a value with it. */
  protected readonly equal = this.RULE("equal", (name: Name): void => {
    if (!this.RECORDING_PHASE && this.nextType() === t.Equal) {
      this.consumeToken();
      return;
    }
    this.OR({
      DEF: [
        { ALT: () => this.CONSUME(t.Equal) },
        {
          ALT: () => {
            const colon = this.CONSUME(t.Colon);
            this.ACTION(() => this.refuseColon(colon, name));
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(t.EqualEqual);
            this.ACTION(() => this.refuseComparison(token));
          },
        },
      ],
      ERR_MSG: "`=`",
    });
  });

  protected readonly boundOperator = this.RULE("boundOperator", (): BoundOperator => {
    const op = boundOperators.get(this.nextType());
    if (!this.RECORDING_PHASE && op !== undefined) {
      this.consumeToken();
      return op;
    }
    const token = this.OR([
      { ALT: () => this.CONSUME(t.LessEqual) },
      { ALT: () => this.CONSUME(t.GreaterEqual) },
      { ALT: () => this.CONSUME(t.Less) },
      { ALT: () => this.CONSUME(t.Greater) },
      { ALT: () => this.CONSUME(t.In) },
    ]);
    return boundOperators.get(token.tokenType) ?? "in";
  });

  protected readonly import = this.RULE("import", (): Import => {
    const first = this.CONSUME(t.Import);
    const from = this.SUBRULE(this.plainString);
    this.ACTION(() => this.refuseBareImport());
    const names: { name: Name; alias: Name | null }[] = [];
    let as: Name | null = null;
    this.OR({
      DEF: [
        {
          ALT: () => {
            this.CONSUME(t.As);
            as = this.nameOf(this.CONSUME(t.Identifier));
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.LeftBrace);
            this.items(() => {
              const name = this.wholeName(this.CONSUME1(t.Identifier));
              let alias: Name | null = null;
              this.OPTION(() => {
                this.CONSUME1(t.As);
                alias = this.nameOf(this.CONSUME2(t.Identifier));
              });
              names.push({ name, alias });
            });
            this.CONSUME(t.RightBrace);
          },
        },
      ],
      ERR_MSG: "`{ names }` or `as name`",
    });
    return { kind: "import", span: this.spanFrom(first), from, names, as };
  });

  protected readonly param = this.RULE("param", (doc: string | null): Param => {
    const first = this.CONSUME(t.Param);
    const name = this.SUBRULE(this.declaredName);
    this.ACTION(() => this.refuseTypeWithoutColon(name, "param"));
    const aliases: Name[] = [];
    this.OPTION(() => {
      this.CONSUME(t.As);
      this.OR([
        { ALT: () => aliases.push(this.nameOf(this.CONSUME(t.Identifier))) },
        {
          ALT: () => {
            this.CONSUME(t.LeftSquare);
            this.items(() => aliases.push(this.nameOf(this.CONSUME1(t.Identifier))));
            this.CONSUME(t.RightSquare);
          },
        },
      ]);
    });
    const type = this.SUBRULE(this.optionalType);
    const bounds: Bounds[number][] = [];
    this.MANY1(() => {
      const op = this.SUBRULE(this.boundOperator);
      bounds.push({ op, value: this.SUBRULE(this.boundValue) });
    });
    let value: Expression | null = null;
    this.OPTION1(() => {
      this.CONSUME(t.Equal);
      value = this.SUBRULE(this.expression);
    });
    return { kind: "param", span: this.spanFrom(first), doc, name, aliases, type, bounds, default: value };
  });

  protected readonly optionalType = this.RULE("optionalType", (): TypeExpression | null => {
    let type: TypeExpression | null = null;
    this.OPTION(() => {
      const colon = this.CONSUME(t.Colon);
      this.ACTION(() => this.refuseColonValue(colon));
      type = this.SUBRULE(this.type);
    });
    return type;
  });

  protected readonly function = this.RULE("function", (doc: string | null): Function => {
    const first = this.CONSUME(t.Fn);
    const name = this.SUBRULE(this.declaredName);
    this.ACTION(() => this.refuseFunctionValue(first));
    const parameters: Parameter[] = [];
    this.CONSUME(t.LeftParen);
    this.items(() => {
      const parameter = this.nameOf(this.CONSUME(t.Identifier));
      this.ACTION(() => this.refuseTypeWithoutColon(parameter, "fn"));
      const type = this.SUBRULE(this.optionalType);
      let value: Expression | null = null;
      this.OPTION(() => {
        this.CONSUME(t.Equal);
        value = this.SUBRULE(this.expression);
      });
      parameters.push({ name: parameter, type, default: value });
    });
    this.CONSUME(t.RightParen);
    const returns = this.SUBRULE1(this.optionalType);
    this.ACTION(() => this.refuseFunctionBody());
    this.SUBRULE(this.equal, { ARGS: [name] });
    const body = this.SUBRULE1(this.expression);
    return { kind: "fn", span: this.spanFrom(first), doc, name, parameters, returns, body };
  });

  protected readonly enum = this.RULE("enum", (doc: string | null): Enum => {
    const first = this.CONSUME(t.Enum);
    const name = this.SUBRULE(this.declaredName);
    const members: Name[] = [];
    this.CONSUME(t.LeftBrace);
    this.items(() => {
      const member = this.OR([{ ALT: () => this.CONSUME(t.Identifier) }, { ALT: () => this.CONSUME(t.StringToken) }]);
      members.push(this.nameOf(member));
      this.ACTION(() => {
        this.refuseQuotedMember(member);
        this.refuseMemberValue();
      });
    });
    this.CONSUME(t.RightBrace);
    return { kind: "enum", span: this.spanFrom(first), doc, name, members };
  });

  protected readonly otherwise = this.RULE("otherwise", (): Expression | null => {
    let value: Expression | null = null;
    this.OPTION(() => {
      this.CONSUME(t.Else);
      value = this.SUBRULE(this.expression);
    });
    return value;
  });
}
