import { misplaced } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Statement } from "../../syntax/ast.ts";
import type { Layer } from "../origin.ts";
import { article } from "../../diagnostics/article.ts";

const called = { fn: "a function", enum: "an enum", secret: "a secret", param: "a param" } as const;

/** Variants amend blocks, params and what `let` names; of a param there is only the whole. */
export function notAmendable(statement: Statement, symbol: Symbol, isPart: boolean, layer: Layer): Diagnostic | null {
  if (symbol.kind === "block" || symbol.kind === "let" || symbol.kind === "namespace") return null;
  const { text } = symbol.name;
  const isWhole = statement.kind === "assign" && !isPart;
  if (symbol.kind === "param" && isWhole) return null;
  const said = statement.kind === "block" ? `${text} { … }` : isWhole ? `${text} = …` : `${text}.…`;
  const what = `\`${said}\``;
  const where = `in ${article(layer)}: \`${text}\` is ${called[symbol.kind]}`;
  const fix =
    symbol.kind === "param"
      ? `Set the param as a whole: \`${text} = …\`.`
      : "Declare another one, and name it where this one is used; or declare a param, which a variant can set.";
  return misplaced(statement.span, { what, where }, { fix });
}
