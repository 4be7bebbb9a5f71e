import { endOf, makeToken, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Block, Expression, Path, Statement } from "../ast.ts";
import { type Clause, clauseOrder } from "../clause-order.ts";
import { unnamed } from "./unnamed.ts";
import { DeclarationGrammar } from "./declarations.ts";

/** What an `=`, a bound or a header makes of the name before it. */
interface Tail {
  readonly doc: string | null;
  readonly first: Token;
  readonly head: Path;
}

type Clauses = Pick<Block, "extends" | "after" | "on">;

const none: Clauses = { extends: null, after: [], on: null };

/** What the recording of the rules is given. */
const nothing: Tail = { doc: null, first: makeToken(t.Mistake, "", 0), head: [unnamed] };

/** The first that does not stand behind all of its betters. */
const misplacedOf = (clauses: readonly Clause[]): Clause | undefined =>
  clauses.find(({ rank }, index) => rank <= (clauses[index - 1]?.rank ?? 0));

/** A number behind a `:` needs its unit only once there is an `=`. */
function silenced(value: Expression): Expression {
  return value.kind === "number" ? { ...value, repaired: true } : value;
}

/** Members of files, blocks and records. */
export abstract class StatementGrammar extends DeclarationGrammar {
  protected readonly members = this.RULE("members", (): readonly Statement[] => this.listOf(this.oneStatement));
  private readonly oneStatement = (): Statement => this.SUBRULE(this.statement);

  private readonly statement = this.RULE("statement", (): Statement => {
    const first = this.LA(1);
    const doc = this.docs.get(first.startOffset) ?? null;
    if (!this.RECORDING_PHASE) {
      // Most members: nothing else begins with a name and `=`.
      if (first.tokenType === t.Identifier && this.nextType(2) === t.Equal)
        return this.given(doc, first, [this.nameOf(this.take())]);
      this.refuseForeign(first);
      if (first.tokenType === t.Identifier) return this.SUBRULE(this.named, { ARGS: [doc] });
    }
    return this.anyStatement(doc, first);
  });

  private anyStatement(doc: string | null, first: Token): Statement {
    return this.OR({
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
            this.ACTION(() => this.refuseTypeWithoutColon(name, "let"));
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
            this.ACTION(() => this.refuseAssertCall());
            const condition = this.SUBRULE2(this.expression);
            this.ACTION(() => {
              this.refuseGiven();
              this.refuseAction();
              this.refuseReason();
            });
            const otherwise = this.SUBRULE(this.otherwise);
            return { kind: "assert", span: this.spanFrom(first), condition, otherwise };
          },
        },
        {
          ALT: (): Statement => {
            this.CONSUME(t.Expect);
            const condition = this.SUBRULE3(this.expression);
            this.ACTION(() => {
              this.refuseGiven();
              this.refuseAction();
              this.refusePoint();
            });
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
  }

  private readonly body = this.RULE("body", (): readonly Statement[] => {
    this.CONSUME(t.LeftBrace);
    const members = this.SUBRULE(this.members);
    this.CONSUME(t.RightBrace);
    return members;
  });

  // ---- a name, and what it makes of it ----

  private readonly named = this.RULE("named", (doc: string | null): Statement => {
    const first = this.LA(1);
    if (!this.RECORDING_PHASE && first.tokenType !== t.Abstract) return this.member(doc, first);
    return this.OR([
      {
        ALT: (): Statement => {
          this.CONSUME(t.Abstract);
          const head: Path = [this.nameOf(this.CONSUME(t.Identifier))];
          return this.SUBRULE(this.header, { ARGS: [{ doc, first, head }] });
        },
      },
      { ALT: (): Statement => this.member(doc, first) },
    ]);
  });

  /** What an `=`, a bound or a header goes on with. */
  private member(doc: string | null, first: Token): Statement {
    const head = this.SUBRULE(this.target);
    const tail: Tail = { doc, first, head };
    if (!this.RECORDING_PHASE) {
      this.refuseTail(first, head, null);
      const next = this.nextType();
      if (next === t.Equal) return this.given(doc, first, head);
      if (next === t.LeftBrace || next === t.Identifier) return this.SUBRULE1(this.header, { ARGS: [tail] });
    }
    return this.anyTail(tail);
  }

  private anyTail(tail: Tail): Statement {
    const { doc, first, head } = tail;
    return this.OR1({
      DEF: [
        { ALT: (): Statement => this.given(doc, first, head) },
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
  }

  private given(doc: string | null, first: Token, head: Path): Statement {
    const sign = this.LA(1);
    this.takeEqual(this.RECORDING_PHASE ? unnamed : head[0]);
    const written = this.SUBRULE(this.expression);
    if (!this.RECORDING_PHASE && head.length === 1 && head[0].text === "when") this.refuseGiven();
    const value = this.RECORDING_PHASE || sign.tokenType === t.Equal ? written : silenced(written);
    return { kind: "assign", span: this.spanFrom(first), doc, target: head, value };
  }

  private readonly target = this.RULE("target", (): Path => {
    if (!this.RECORDING_PHASE && this.nextType() === t.Identifier) return this.SUBRULE(this.path);
    return this.OR([
      { ALT: (): Path => this.SUBRULE(this.path) },
      { ALT: (): Path => [this.nameOf(this.CONSUME(t.StringToken))] },
    ]);
  });

  private wholePath(path: Path): Path {
    if (this.RECORDING_PHASE) return path;
    const last = this.wholeName(this.LA(0));
    const [first, ...rest] = path;
    return rest.length === 0 ? [last] : [first, ...rest.slice(0, -1), last];
  }

  private readonly header = this.RULE("header", ({ doc, first, head }: Tail = nothing): Statement => {
    const name = this.OPTION(() => this.SUBRULE(this.declaredName)) ?? null;
    this.ACTION(() => this.refuseTail(first, head, name));
    const opens = !this.RECORDING_PHASE && this.nextType() === t.LeftBrace;
    const { extends: base, after, on } = opens ? none : this.clauses();
    const body = this.OPTION1(() => this.SUBRULE(this.body)) ?? null;
    return {
      kind: "block",
      span: this.spanFrom(first),
      doc,
      abstract: first.tokenType === t.Abstract,
      head,
      name,
      extends: base,
      after,
      on,
      body,
    };
  });

  private clauses(): Clauses {
    let base: Path | null = null;
    const after: Path[] = [];
    let on: Path | null = null;
    const read: Clause[] = [];
    const clause = (rank: number): void => {
      const word = this.LA(0);
      const last = read.at(-1);
      if (last !== undefined) last.end = endOf(this.LA(-1));
      read.push({ word, rank, end: 0 });
    };
    this.MANY(() => {
      this.OR([
        {
          ALT: () => {
            this.CONSUME(t.Extends);
            clause(1);
            base = this.wholePath(this.SUBRULE(this.path));
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.After);
            clause(2);
            after.push(this.wholePath(this.SUBRULE1(this.path)));
            this.MANY1(() => {
              this.CONSUME(t.Comma);
              after.push(this.wholePath(this.SUBRULE2(this.path)));
            });
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.On);
            clause(3);
            on = this.wholePath(this.SUBRULE3(this.path));
          },
        },
      ]);
    });
    this.ACTION(() => {
      const last = read.at(-1);
      if (last === undefined) return;
      last.end = endOf(this.LA(0));
      const misplaced = misplacedOf(read);
      if (misplaced !== undefined) this.remark(clauseOrder(this.source, read, misplaced.word));
    });
    return { extends: base, after, on };
  }
}
