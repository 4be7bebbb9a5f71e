/** What a word in a file stands for, as far as the text and the descriptors say. */
import type { BlockKind, Builtin, Constructor, DerivedField, FormulaName, Property, Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { NumberLiteral } from "../../syntax/ast.ts";

/** What stands in the value of a declaration. */
export interface Inside {
  readonly symbol: Symbol;
  readonly path: readonly string[];
}

export type Meaning =
  | { readonly kind: "symbol"; readonly symbol: Symbol }
  /** A parameter of a function or a plugin, the variable of a comprehension, a field of a record. */
  | { readonly kind: "local"; readonly declaration: Span; readonly of?: Inside }
  | { readonly kind: "block_kind"; readonly block: BlockKind }
  | { readonly kind: "property"; readonly of: BlockKind; readonly name: string; readonly property: Property }
  | { readonly kind: "group"; readonly block: BlockKind }
  /** A block that is declared inside another: `source web { … }`. */
  | { readonly kind: "nested"; readonly block: BlockKind; readonly declaration: Span }
  /** `pretrain.plan.time`; `symbol` is what is asked for it. */
  | {
      readonly kind: "derived";
      readonly of: BlockKind;
      readonly name: string;
      readonly is: DerivedField;
      readonly symbol?: Symbol;
    }
  /** `pretrain.last`; `symbol` makes it. */
  | { readonly kind: "handle"; readonly of: BlockKind; readonly name: string; readonly symbol?: Symbol }
  | {
      readonly kind: "constructor";
      readonly choice: string;
      readonly name: string;
      readonly constructor: Constructor;
    }
  | { readonly kind: "parameter"; readonly of: string; readonly name: string; readonly property: Property }
  | {
      readonly kind: "enum_member";
      readonly type: Extract<Type, { kind: "enum" }>;
      readonly name: string;
      /** Where a file declares it. */
      readonly declaration?: Span;
    }
  | { readonly kind: "formula_name"; readonly name: string; readonly is: FormulaName }
  | { readonly kind: "builtin"; readonly name: string; readonly builtin: Builtin }
  | { readonly kind: "type"; readonly name: string; readonly type: Type | null }
  /** `whole` is what a `%` here is a share of, where its property says. */
  | {
      readonly kind: "unit";
      readonly name: string;
      readonly literal?: NumberLiteral;
      readonly whole?: string | null;
      readonly expected?: Type | null;
    }
  /** `auto` and `auto(…)`. */
  | { readonly kind: "auto"; readonly constructor: Constructor | null }
  | { readonly kind: "phase"; readonly name: string };

/** A word and what it stands for. */
export interface Occurrence {
  readonly span: Span;
  readonly text: string;
  readonly meaning: Meaning;
  readonly role: "declaration" | "amendment" | "reference";
  /** The declaration at the top of the file that it stands in. */
  readonly owner: Symbol | null;
  /** The property whose value it belongs to, with the path of blocks to it: `["layout", "zero_stage"]`. */
  readonly path: readonly string[];
}

/** One declaration is one key, whichever program made its symbol. */
export function declarationKey(meaning: Meaning): string | null {
  switch (meaning.kind) {
    case "symbol":
      return keyOf(meaning.symbol);
    case "enum_member":
      return meaning.declaration === undefined
        ? null
        : `${meaning.declaration.source.path}#${meaning.declaration.start}`;
    case "local":
    case "nested":
      return `${meaning.declaration.source.path}#${meaning.declaration.start}`;
    default:
      return null;
  }
}

export const keyOf = (symbol: Symbol): string => `${symbol.module.path}#${symbol.name.span.start}`;

export const isStandard = (module: Module): boolean => module.path.startsWith("std/");
