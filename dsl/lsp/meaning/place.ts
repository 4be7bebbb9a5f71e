/** Where a word stands, and how what it stands for is told. */
import type { BlockKind, DerivedField, Registry, Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Name, Statement, TypeExpression } from "../../syntax/ast.ts";
import { symbolOf, textsOf } from "./kinds.ts";
import type { Field } from "./fields.ts";
import type { Inside, Meaning, Occurrence } from "./meaning.ts";
import type { Nested } from "./nested.ts";

/** Where a word stands. */
export interface Place {
  /** Kinds of the blocks around it, from the inside out. */
  readonly kinds: readonly BlockKind[];
  readonly locals: ReadonlyMap<string, Span>;
  /** Of those locals whose type is an enum of a file. */
  readonly types?: ReadonlyMap<string, Type>;
  readonly owner: Symbol | null;
  readonly path: readonly string[];
  /** Blocks declared inside the blocks around it. */
  readonly nested: readonly Nested[];
}

/** What an expression gives, as far as its text says: what may stand behind its dot. */
export type Shape =
  | { readonly kind: "block"; readonly of: BlockKind; readonly symbol?: Symbol }
  | { readonly kind: "module"; readonly module: Module }
  /** A record that a block derives: `stage.plan`. */
  | {
      readonly kind: "derived";
      readonly of: BlockKind;
      readonly name: string;
      readonly fields: DerivedFields;
      readonly symbol?: Symbol;
    }
  | { readonly kind: "typed"; readonly type: Type }
  /** A record of a file, or one of several: `of` says where its value is found. */
  | { readonly kind: "fields"; readonly fields: readonly Field[]; readonly of?: Inside }
  | null;

type DerivedFields = NonNullable<DerivedField["fields"]>;

export const top: Place = { kinds: [], locals: new Map(), owner: null, path: [], nested: [] };

/** A place inside a block: its kind goes before those around it, its names behind the path to it. */
export const within = (place: Place, kind: BlockKind | undefined, ...names: readonly string[]): Place => ({
  ...place,
  kinds: kind === undefined ? place.kinds : [kind, ...place.kinds],
  path: [...place.path, ...names],
});

/** What everything that reads a module's words shares. */
export interface Words {
  readonly module: Module;
  readonly registry: Registry;
  readonly say: (
    at: Name | { readonly span: Span; readonly text: string },
    meaning: Meaning,
    place: Place,
    role?: Occurrence["role"],
  ) => void;
}

/** Reads the statements of a block. */
export type Members = (body: readonly Statement[], kind: BlockKind | null, place: Place) => void;

type EnumType = Extract<Type, { kind: "enum" }>;

const declared = new WeakMap<Type, readonly Name[]>();

export function enumType(name: string, members: readonly Name[]): EnumType {
  const type: EnumType = { kind: "enum", name, values: members.map((m) => m.text) };
  declared.set(type, members);
  return type;
}

/** A member of an enum; of one that a file declares, with its place there. */
export function memberMeaning(type: EnumType, name: string): Meaning {
  const declaration = declared.get(type)?.find(({ text }) => text === name)?.span;
  return { kind: "enum_member", type, name, ...(declaration !== undefined && { declaration }) };
}

/** The enum that a written type names, itself or as a list or one of several; `null` for other types. */
export function enumWritten(written: TypeExpression | null, module: Module): Type | null {
  switch (written?.kind) {
    case "named_type": {
      const found = symbolOf(textsOf(written.path), module)?.symbol;
      return found?.kind === "enum" ? enumType(found.name.text, found.node.members) : null;
    }
    case "list_type": {
      const element = enumWritten(written.element, module);
      return element === null ? null : { kind: "list", element };
    }
    case "union_type":
      return written.members.map((member) => enumWritten(member, module)).find((type) => type !== null) ?? null;
    default:
      return null;
  }
}
