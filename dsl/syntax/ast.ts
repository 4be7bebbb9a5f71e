/** The syntax tree of a `.cdr` file: what was written, nothing of what it means. */
import type { Source, Span } from "../source/source.ts";

interface Node<K extends string> {
  readonly kind: K;
  readonly span: Span;
}

export interface File {
  readonly kind: "file";
  readonly source: Source;
  /** The `///` sentence that opens the file. */
  readonly doc: string | null;
  readonly statements: readonly Statement[];
}

/** An identifier, or a quoted key (`"train_batch_size" = 8` in a raw block); `text` has no quotes. */
export interface Name extends Node<"name"> {
  readonly text: string;
  readonly quoted: boolean;
}

/** `a`, `a.b.c`: at least one name. */
export type Path = readonly [Name, ...Name[]];

// ---- statements: members of a file, of a block, of a record ------------------------------------------------------

export type Statement =
  Import | Param | Secret | Let | Function | Enum | Block | Assign | Bound | Assert | Expect | Test;

/** `import "x" { a, b as c }` or `import "x" as x`. */
export interface Import extends Node<"import"> {
  readonly from: StringLiteral;
  readonly names: readonly { readonly name: Name; readonly alias: Name | null }[];
  readonly as: Name | null;
}

/** `param lr as learning_rate: Float in 0..1 = 0.1`; `aliases` are the names Python knows it by. */
export interface Param extends Node<"param"> {
  readonly doc: string | null;
  readonly name: Name;
  readonly aliases: readonly Name[];
  readonly type: TypeExpression | null;
  readonly bounds: readonly { readonly op: BoundOperator; readonly value: Expression }[];
  readonly default: Expression | null;
}

export interface Secret extends Node<"secret"> {
  readonly doc: string | null;
  readonly name: Name;
  readonly value: Expression;
}

export interface Let extends Node<"let"> {
  readonly doc: string | null;
  readonly name: Name;
  readonly type: TypeExpression | null;
  readonly value: Expression;
}

/** `fn f(a: Int, b: Float = 1.0): Float = a * b`. */
export interface Function extends Node<"fn"> {
  readonly doc: string | null;
  readonly name: Name;
  readonly parameters: readonly {
    readonly name: Name;
    readonly type: TypeExpression | null;
    readonly default: Expression | null;
  }[];
  readonly returns: TypeExpression | null;
  readonly body: Expression;
}

/** Members are bare or quoted: `enum Scale { "1b", "4b" }`. */
export interface Enum extends Node<"enum"> {
  readonly doc: string | null;
  readonly name: Name;
  readonly members: readonly Name[];
}

/**
 * `[abstract] head [name] [extends a] [after b, c] [on d] { … }`.
 * With a name it declares (`model gpt { … }`, `source web { … }`, `raw deepspeed { … }`); without one it opens a
 * block that the enclosing kind knows, or amends what is declared (`layout { … }`, `pretrain { … }`, `a.b { … }`).
 */
export interface Block extends Node<"block"> {
  readonly doc: string | null;
  readonly abstract: boolean;
  /** More than one name only when it amends. */
  readonly head: Path;
  readonly name: Name | null;
  readonly extends: Path | null;
  readonly after: readonly Path[];
  readonly on: Path | null;
  /** `null` when no braces were written: `stage b extends a`. */
  readonly body: readonly Statement[] | null;
}

/** `a.b = value`. */
export interface Assign extends Node<"assign"> {
  readonly doc: string | null;
  readonly target: Path;
  readonly value: Expression;
}

export type BoundOperator = "<=" | ">=" | "<" | ">" | "in";

/** `micro_batch in 1..64 samples`, `zero_stage <= 2`. */
export interface Bound extends Node<"bound"> {
  readonly target: Path;
  readonly op: BoundOperator;
  readonly value: Expression;
}

/** `assert condition [else "message" | warn]`. */
export interface Assert extends Node<"assert"> {
  readonly condition: Expression;
  readonly otherwise: Expression | null;
}

/** `expect condition [else warn | stop | rollback(to = best)]`. */
export interface Expect extends Node<"expect"> {
  readonly condition: Expression;
  readonly otherwise: Expression | null;
}

export interface Test extends Node<"test"> {
  readonly title: StringLiteral;
  readonly body: readonly Statement[];
}

// ---- types -------------------------------------------------------------------------------------------------------

export type TypeExpression =
  | (Node<"named_type"> & { readonly path: Path })
  /** `Tokens/Params`. */
  | (Node<"ratio_type"> & { readonly numerator: TypeExpression; readonly denominator: TypeExpression })
  /** `[Float]`. */
  | (Node<"list_type"> & { readonly element: TypeExpression })
  /** `"x+y" | "x-y"`, `Int | none`. */
  | (Node<"union_type"> & { readonly members: readonly TypeExpression[] })
  | (Node<"literal_type"> & { readonly value: StringLiteral });

// ---- expressions -------------------------------------------------------------------------------------------------

export type Expression =
  | NumberLiteral
  | StringLiteral
  | (Node<"bool"> & { readonly value: boolean })
  | Node<"none">
  | Node<"auto">
  | (Node<"reference"> & { readonly name: Name })
  | Member
  | Call
  | Index
  | (Node<"list"> & { readonly items: readonly Expression[] })
  | Comprehension
  | Record
  | (Node<"range"> & { readonly from: Expression; readonly to: Expression })
  | (Node<"unary"> & { readonly op: "-" | "not"; readonly operand: Expression })
  | Binary
  | (Node<"if"> & { readonly condition: Expression; readonly then: Expression; readonly else: Expression })
  | Match
  | With
  /** Where an expression was expected and none could be read; already reported. */
  | Node<"missing">;

/** `20B tokens` is value 20, scale "B", unit [["tokens"], []]; `2.10 usd/gpu/h` is [["usd"], ["gpu", "h"]]; `5%` is [["%"], []]. */
export interface NumberLiteral extends Node<"number"> {
  /** As written without scale: 20 for `20B`. */
  readonly value: number;
  readonly scale: "K" | "M" | "B" | "T" | "Ki" | "Mi" | "Gi" | "Ti" | null;
  readonly unit: Unit | null;
  /** Its text has a diagnostic already: it has no value, so that nothing else is said about it. */
  readonly repaired?: boolean;
  /** True when the number has a point or an exponent (`1.0`, `1e9`): it is not an `Int` literal. */
  readonly fractional: boolean;
}

export interface Unit extends Node<"unit"> {
  readonly numerator: readonly string[];
  readonly denominator: readonly string[];
}

/** Plain pieces and `${…}` interpolations in order; escapes are resolved, `"""` strings have lost their indentation. */
export interface StringLiteral extends Node<"string"> {
  /** It has no closing quotes: it has no value, so that nothing else is said about it. */
  readonly repaired?: boolean;
  readonly parts: readonly (string | Expression)[];
}

export interface Member extends Node<"member"> {
  readonly object: Expression;
  readonly name: Name;
}

export interface Argument extends Node<"argument"> {
  readonly name: Name | null;
  readonly value: Expression;
}

export interface Call extends Node<"call"> {
  readonly callee: Expression;
  readonly arguments: readonly Argument[];
}

export interface Index extends Node<"index"> {
  readonly object: Expression;
  readonly index: Expression;
}

/** `[f(x) for x in xs if p(x)]`. */
export interface Comprehension extends Node<"comprehension"> {
  readonly element: Expression;
  readonly variable: Name;
  readonly over: Expression;
  readonly condition: Expression | null;
}

/** `{ rank = 8, zero_stage <= 1 }` as a value. */
export interface Record extends Node<"record"> {
  readonly members: readonly Statement[];
}

export type BinaryOperator =
  "+" | "-" | "*" | "/" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or" | "in" | "divides" | "of";

export interface Binary extends Node<"binary"> {
  readonly op: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `match x { a | b => e, else => f }`. */
export interface Match extends Node<"match"> {
  readonly subject: Expression;
  readonly arms: readonly {
    readonly patterns: readonly Expression[];
    readonly body: Expression;
    readonly span: Span;
  }[];
  readonly otherwise: Expression | null;
}

/** `base with { amendments }`. */
export interface With extends Node<"with"> {
  readonly base: Expression;
  readonly body: readonly Statement[];
}
