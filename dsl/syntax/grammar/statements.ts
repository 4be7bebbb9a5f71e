import { makeToken, type Token } from "../../lexer/token.ts";
import { headerOrder } from "../../diagnostics/catalog/syntax.ts";
import * as t from "../../lexer/vocabulary.ts";
import type {
  Block,
  BoundOperator,
  Enum,
  Expression,
  Function,
  Import,
  Name,
  Param,
  Path,
  Statement,
  TypeExpression,
} from "../ast.ts";
import { boundOperators } from "../operators.ts";
import { unnamed } from "./base.ts";
import { RefusingGrammar } from "./refusals.ts";

type Bounds = Param["bounds"];
type Parameter = Function["parameters"][number];

/** What an `=`, a bound or a header makes of the name before it. */
interface Tail {
  readonly doc: string | null;
  readonly first: Token;
  readonly head: Path;
}

/** What the recording of the rules is given. */
const nothing: Tail = { doc: null, first: makeToken(t.Mistake, "", 0), head: [unnamed] };

/** A number behind a `:` needs its unit only once there is an `=`. */
function silenced(value: Expression): Expression {
  return value.kind === "number" ? { ...value, repaired: true } : value;
}

/** Members of files, blocks and records. */
export abstract class StatementGrammar extends RefusingGrammar {
  protected readonly members = this.RULE("members", (): readonly Statement[] => {
    const list: Statement[] = [];
    this.items(() => this.SUBRULE(this.statement, { ARGS: [list] }));
    return list;
  });

  private readonly statement = this.RULE("statement", (list: Statement[]): void => {
    const first = this.LA(1);
    const doc = this.docs.get(first.startOffset) ?? null;
    this.ACTION(() => this.refuseForeign(first));
    const statement = this.OR({
      DEF: [
        { ALT: (): Statement => this.SUBRULE(this.named, { ARGS: [doc] }) },
        { ALT: (): Statement => this.SUBRULE(this.import) },
        { ALT: (): Statement => this.SUBRULE(this.param, { ARGS: [doc] }) },
        {
          ALT: (): Statement => {
            this.CONSUME(t.Secret);
            const name = this.SUBRULE(this.declaredName);
            this.SUBRULE(this.equal, { ARGS: [name] });
            const value = this.SUBRULE(this.expression);
            return { kind: "secret", span: this.spanFrom(first), doc, name, value };
          },
        },
        {
          ALT: (): Statement => {
            this.CONSUME(t.Let);
            const name = this.SUBRULE1(this.declaredName);
            const type = this.SUBRULE(this.optionalType);
            this.SUBRULE1(this.equal, { ARGS: [name] });
            const value = this.SUBRULE1(this.expression);
            return { kind: "let", span: this.spanFrom(first), doc, name, type, value };
          },
        },
        { ALT: (): Statement => this.SUBRULE(this.function, { ARGS: [doc] }) },
        { ALT: (): Statement => this.SUBRULE(this.enum, { ARGS: [doc] }) },
        {
          ALT: (): Statement => {
            this.CONSUME(t.Assert);
            const condition = this.SUBRULE2(this.expression);
            const otherwise = this.SUBRULE(this.otherwise);
            return { kind: "assert", span: this.spanFrom(first), condition, otherwise };
          },
        },
        {
          ALT: (): Statement => {
            this.CONSUME(t.Expect);
            const condition = this.SUBRULE3(this.expression);
            const otherwise = this.SUBRULE1(this.otherwise);
            return { kind: "expect", span: this.spanFrom(first), condition, otherwise };
          },
        },
        {
          ALT: (): Statement => {
            this.CONSUME(t.Test);
            const title = this.SUBRULE(this.plainString);
            const body = this.SUBRULE(this.body);
            return { kind: "test", span: this.spanFrom(first), title, body };
          },
        },
      ],
      ERR_MSG: "a member: `name = value`, `name <= value` or `name { … }`",
    });
    this.ACTION(() => list.push(statement));
  });

  private readonly body = this.RULE("body", (): readonly Statement[] => {
    this.CONSUME(t.LeftBrace);
    const members = this.SUBRULE(this.members);
    this.CONSUME(t.RightBrace);
    return members;
  });

  // ---- a name, and what it makes of it ----

  private readonly named = this.RULE("named", (doc: string | null): Statement => {
    const first = this.LA(1);
    return this.OR([
      {
        ALT: (): Statement => {
          this.CONSUME(t.Abstract);
          const head: Path = [this.nameOf(this.CONSUME(t.Identifier))];
          return this.SUBRULE(this.header, { ARGS: [{ doc, first, head }] });
        },
      },
      {
        ALT: (): Statement => {
          const head = this.SUBRULE(this.target);
          this.ACTION(() => this.refuseTail(first, head, null));
          const tail: Tail = { doc, first, head };
          return this.OR1({
            DEF: [
              {
                ALT: (): Statement => {
                  const sign = this.LA(1);
                  this.SUBRULE(this.equal, { ARGS: [this.ACTION(() => head[0])] });
                  const written = this.SUBRULE(this.expression);
                  const value = this.ACTION(() => (sign.tokenType === t.Equal ? written : silenced(written)));
                  return { kind: "assign", span: this.spanFrom(first), doc, target: head, value };
                },
              },
              {
                ALT: (): Statement => {
                  const op = this.SUBRULE(this.boundOperator);
                  const value = this.SUBRULE(this.boundValue);
                  return { kind: "bound", span: this.spanFrom(first), target: head, op, value };
                },
              },
              { ALT: (): Statement => this.SUBRULE1(this.header, { ARGS: [tail] }) },
            ],
            ERR_MSG: "`=`, a bound or `{`",
          });
        },
      },
    ]);
  });

  private readonly target = this.RULE("target", (): Path =>
    this.OR([
      { ALT: (): Path => this.SUBRULE(this.path) },
      { ALT: (): Path => [this.nameOf(this.CONSUME(t.StringToken))] },
    ]),
  );

  private wholePath(path: Path): Path {
    if (this.RECORDING_PHASE) return path;
    const last = this.wholeName(this.LA(0));
    const [first, ...rest] = path;
    return rest.length === 0 ? [last] : [first, ...rest.slice(0, -1), last];
  }

  private readonly header = this.RULE("header", ({ doc, first, head }: Tail = nothing): Statement => {
    let name: Name | null = null;
    this.OPTION(() => {
      name = this.SUBRULE(this.declaredName);
    });
    this.ACTION(() => this.refuseTail(first, head, name));
    let base: Path | null = null;
    const after: Path[] = [];
    let on: Path | null = null;
    let reached = 0;
    const clause = (word: Token, rank: number): void => {
      if (this.RECORDING_PHASE) return;
      if (rank <= reached) this.remark(headerOrder(this.spanOf(word), { clause: word.image }));
      reached = Math.max(reached, rank);
    };
    this.MANY(() => {
      this.OR([
        {
          ALT: () => {
            clause(this.CONSUME(t.Extends), 1);
            base = this.wholePath(this.SUBRULE(this.path));
          },
        },
        {
          ALT: () => {
            clause(this.CONSUME(t.After), 2);
            after.push(this.wholePath(this.SUBRULE1(this.path)));
            this.MANY1(() => {
              this.CONSUME(t.Comma);
              after.push(this.wholePath(this.SUBRULE2(this.path)));
            });
          },
        },
        {
          ALT: () => {
            clause(this.CONSUME(t.On), 3);
            on = this.wholePath(this.SUBRULE3(this.path));
          },
        },
      ]);
    });
    let body: readonly Statement[] | null = null;
    this.OPTION1(() => {
      body = this.SUBRULE(this.body);
    });
    const isAbstract = first.tokenType === t.Abstract;
    const block: Block = {
      kind: "block",
      span: this.spanFrom(first),
      doc,
      abstract: isAbstract,
      head,
      name,
      extends: base,
      after,
      on,
      body,
    };
    return block;
  });

  /** The name that a declaration gives; quotes around it are a newcomer's. */
  private readonly declaredName = this.RULE("declaredName", (): Name =>
    this.OR({
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
    }),
  );

  /** `=`; also `:`, where other languages give a value with it. */
  protected readonly equal = this.RULE("equal", (name: Name): void => {
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

  private readonly boundOperator = this.RULE("boundOperator", (): BoundOperator => {
    const token = this.OR([
      { ALT: () => this.CONSUME(t.LessEqual) },
      { ALT: () => this.CONSUME(t.GreaterEqual) },
      { ALT: () => this.CONSUME(t.Less) },
      { ALT: () => this.CONSUME(t.Greater) },
      { ALT: () => this.CONSUME(t.In) },
    ]);
    return boundOperators.get(token.tokenType) ?? "in";
  });

  // ---- statements that begin with a word ----

  private readonly import = this.RULE("import", (): Import => {
    const first = this.CONSUME(t.Import);
    const from = this.SUBRULE(this.plainString);
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

  private readonly param = this.RULE("param", (doc: string | null): Param => {
    const first = this.CONSUME(t.Param);
    const name = this.SUBRULE(this.declaredName);
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

  private readonly optionalType = this.RULE("optionalType", (): TypeExpression | null => {
    let type: TypeExpression | null = null;
    this.OPTION(() => {
      this.CONSUME(t.Colon);
      type = this.SUBRULE(this.type);
    });
    return type;
  });

  private readonly function = this.RULE("function", (doc: string | null): Function => {
    const first = this.CONSUME(t.Fn);
    const name = this.SUBRULE(this.declaredName);
    const parameters: Parameter[] = [];
    this.CONSUME(t.LeftParen);
    this.items(() => {
      const parameter = this.nameOf(this.CONSUME(t.Identifier));
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
    this.SUBRULE(this.equal, { ARGS: [name] });
    const body = this.SUBRULE1(this.expression);
    return { kind: "fn", span: this.spanFrom(first), doc, name, parameters, returns, body };
  });

  private readonly enum = this.RULE("enum", (doc: string | null): Enum => {
    const first = this.CONSUME(t.Enum);
    const name = this.SUBRULE(this.declaredName);
    const members: Name[] = [];
    this.CONSUME(t.LeftBrace);
    this.items(() => {
      const member = this.OR([{ ALT: () => this.CONSUME(t.Identifier) }, { ALT: () => this.CONSUME(t.StringToken) }]);
      members.push(this.nameOf(member));
    });
    this.CONSUME(t.RightBrace);
    return { kind: "enum", span: this.spanFrom(first), doc, name, members };
  });

  private readonly otherwise = this.RULE("otherwise", (): Expression | null => {
    let value: Expression | null = null;
    this.OPTION(() => {
      this.CONSUME(t.Else);
      value = this.SUBRULE(this.expression);
    });
    return value;
  });
}
