import type { Field } from "./table.ts";

/** What a key of a configuration takes: a value, a section that a class reads (`model`), or one that is read by hand. */
export type Key = Field | { readonly type: "section"; readonly keys: Keys };

export interface Keys {
  readonly [name: string]: Key;
}

type Limits = Pick<Field, "gt" | "ge" | "lt" | "le">;

export const flag: Field = { type: "bool" };
export const text: Field = { type: "str" };
export const list: Field = { type: "list" };
/** A section whose keys nobody names: metrics, parameters of a class. */
export const open: Field = { type: "dict" };
export const nothing: Field = { type: "none", null: true };
export const whole = (limits: Limits = {}): Field => ({ type: "int", ...limits });
export const float = (limits: Limits = {}): Field => ({ type: "float", ...limits });
export const one = (...values: readonly string[]): Field => ({ type: "enum", values });
export const orNull = (field: Field): Field => ({ ...field, null: true });
export const model = (name: string): Field => ({ type: "model", model: name });
export const section = (keys: Keys): Key => ({ type: "section", keys });

/** Keys that nothing has replaced: what a misspelt one may have been meant to be. */
export const currentNames = (keys: Keys): readonly string[] =>
  Object.entries(keys).flatMap(([name, key]) =>
    key.type !== "section" && key.deprecated !== undefined ? [] : [name],
  );
