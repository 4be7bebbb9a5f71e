import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Source } from "../../source/source.ts";
import type { Expression, Statement } from "../ast.ts";
import type { Layout } from "../layout.ts";
import { StatementGrammar } from "./statements.ts";

/** The two things that can be read: a file and a single value. */
export class Grammar extends StatementGrammar {
  private readonly values = this.RULE("values", (): readonly Expression[] => {
    const list: Expression[] = [];
    this.items(() => list.push(this.SUBRULE(this.expression)));
    return list;
  });

  constructor(validate = false) {
    super(validate);
    this.performSelfAnalysis();
  }

  readFile(source: Source, layout: Layout): { statements: readonly Statement[]; diagnostics: readonly Diagnostic[] } {
    this.prepare(source, layout);
    const statements = this.members();
    return { statements, diagnostics: this.diagnostics };
  }

  readExpression(source: Source, layout: Layout): { expression: Expression; diagnostics: readonly Diagnostic[] } {
    this.prepare(source, layout);
    const [first, second] = this.values();
    if (second !== undefined) this.refuseSecond(second.span);
    const nothing: Expression = { kind: "missing", span: { source, start: 0, end: source.text.length } };
    if (first === undefined && this.diagnostics.length === 0) this.reportValueMissing();
    return { expression: first ?? nothing, diagnostics: this.diagnostics };
  }
}
