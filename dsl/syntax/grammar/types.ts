import { typeForm } from "../../diagnostics/catalog/syntax.ts";
import { endOf } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import type { Name, Path, StringLiteral, TypeExpression } from "../ast.ts";
import { foreignType, genericType } from "../foreign-types.ts";
import { stringText } from "../literal.ts";
import { RecoveringGrammar } from "./recovery.ts";
import { Reported } from "./reported.ts";

/** Types of the language are written in PascalCase. */
const isType = (word: string): boolean => foreignType(word) !== null || /^[A-Z]/.test(word);

/** Dotted names and types. */
export abstract class TypeGrammar extends RecoveringGrammar {
  protected readonly path = this.RULE("path", (): Path => {
    const first = this.nameOf(this.CONSUME(t.Identifier));
    return !this.RECORDING_PHASE && this.nextType() !== t.Dot ? [first] : [first, ...this.dotted()];
  });

  private dotted(): readonly Name[] {
    const names: Name[] = [];
    this.MANY(() => {
      this.CONSUME(t.Dot);
      names.push(this.nameOf(this.CONSUME1(t.Identifier)));
    });
    return names;
  }

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
            this.ACTION(() => this.refuseGeneric(path));
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

  /** `param int x`, `let x Int = 1`, `param int`: a type that no colon tells from its name. */
  protected refuseTypeWithoutColon(name: Name, word: "param" | "let" | "fn"): void {
    const isAlone = word === "param" && this.nextType() === t.Separator && foreignType(name.text) !== null;
    if (isAlone) this.reportType(name.span, `name: ${foreignType(name.text) ?? name.text}`, true);
    if (this.nextType() !== t.Identifier) return;
    const second = this.LA(1).image;
    const [written, type] = isType(name.text) && !isType(second) ? [second, name.text] : [name.text, second];
    if (!isType(type)) return;
    this.reportType({ ...name.span, end: endOf(this.LA(1)) }, `${written}: ${foreignType(type) ?? type}`, false);
  }

  /** `list[int]`, `List<Int>`, `Int[]`. */
  private refuseGeneric(path: Path): void {
    const [{ text, span }] = path;
    const open = this.nextType();
    if (open !== t.LeftSquare && !(open === t.Less && genericType(text, "") !== null)) return;
    const element = this.nextType(2) === t.Identifier ? this.LA(2) : null;
    const behind = this.LA(element === null ? 2 : 3);
    const close =
      behind.tokenType === t.Separator && behind.image === "" ? this.LA(element === null ? 3 : 4) : behind;
    const closes = close.tokenType === (open === t.Less ? t.Greater : t.RightSquare);
    const end = closes ? endOf(close) : endOf(this.LA(1));
    const isSuffix = element === null && open === t.LeftSquare;
    const instead = isSuffix ? genericType("list", text) : genericType(text, element?.image ?? "");
    this.reportType({ ...span, end }, closes ? instead : null, false);
  }

  private reportType(span: Span, instead: string | null, isExample: boolean): never {
    const written = this.source.text.slice(span.start, span.end);
    const fixes =
      instead === null || isExample ? [] : [{ title: `write \`${instead}\``, edits: [{ span, newText: instead }] }];
    this.report(typeForm(span, { written, instead }, { fixes }));
    throw new Reported();
  }
}
