/** What names stand for. */
import type {
  Block,
  Enum,
  File,
  Function as FunctionNode,
  Let,
  Name,
  Param,
  Secret,
  Statement,
} from "../syntax/ast.ts";
import type { Span } from "../source/source.ts";
import type { Valued } from "../types/value.ts";

/** One file and the names it declares or imports. */
export interface Module {
  readonly path: string;
  readonly file: File;
  readonly names: ReadonlyMap<string, Symbol>;
  /** Top-level blocks without a kind: they amend what is declared here. */
  readonly amendments: readonly Amendment[];
}

/** Statements that change something declared elsewhere. */
export interface Amendment {
  readonly statement: Extract<Statement, { kind: "block" | "assign" | "bound" }>;
  readonly module: Module;
  /** Names that only this amendment knows. */
  readonly locals?: ReadonlyMap<string, Valued>;
}

export type Symbol =
  | { readonly kind: "block"; readonly node: Block; readonly name: Name; readonly module: Module }
  | { readonly kind: "param"; readonly node: Param; readonly name: Name; readonly module: Module }
  | { readonly kind: "secret"; readonly node: Secret; readonly name: Name; readonly module: Module }
  | { readonly kind: "let"; readonly node: Let; readonly name: Name; readonly module: Module }
  | { readonly kind: "fn"; readonly node: FunctionNode; readonly name: Name; readonly module: Module }
  | { readonly kind: "enum"; readonly node: Enum; readonly name: Name; readonly module: Module }
  | { readonly kind: "namespace"; readonly name: Name; readonly module: Module; readonly of: Module };

export type BlockSymbol = Extract<Symbol, { kind: "block" }>;
export type ParamSymbol = Extract<Symbol, { kind: "param" }>;

/** Where a symbol was declared. */
export function declarationSpan(symbol: Symbol): Span {
  return symbol.name.span;
}
