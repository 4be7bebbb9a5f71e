import table from "./models.json" with { type: "json" };

/** One field of a configuration class of the engine, as its own package declares it. */
export interface Field {
  readonly type:
    "bool" | "int" | "float" | "str" | "enum" | "literal" | "list" | "dict" | "model" | "union" | "any" | "none";
  readonly null?: boolean;
  readonly values?: readonly (string | number)[];
  readonly of?: Field | readonly Field[];
  readonly model?: string;
  readonly alias?: string;
  readonly default?: boolean | number | string;
  readonly gt?: number;
  readonly ge?: number;
  readonly lt?: number;
  readonly le?: number;
  /** What replaces it, and whether its value moves there. */
  readonly deprecated?: { readonly use: string; readonly sets: boolean };
}
export type Model = { readonly [field: string]: Field };
/** What a constructor takes by name. */
export type Parameters = { readonly [name: string]: { readonly required: boolean } };

export const version: string = table.version;
export const models = table.models as unknown as { readonly [name: string]: Model };
/** Sections that a class of the engine reads: any other key in them is refused. */
export const modelOfSection: Readonly<Record<string, string>> = table.sections;
export const optimizers: Readonly<Record<string, Parameters>> = table.optimizers;
export const schedulers: Readonly<Record<string, Parameters>> = table.schedulers;
export const dtypes: readonly string[] = table.dtypes;

export function modelOf(name: string): Model {
  const model = models[name];
  if (model === undefined) throw new Error(`no configuration class ${name}`);
  return model;
}

/** What a key is where no configuration says it; `undefined` where no class of the engine declares one. */
export function defaultAt(path: string): Field["default"] {
  const [section = "", ...keys] = path.split(".");
  let model = modelOfSection[section];
  let field: Field | undefined;
  for (const key of keys) {
    const fields = models[model ?? ""] ?? {};
    field = fields[key] ?? Object.values(fields).find(({ alias }) => alias === key);
    model = field?.model;
  }
  return field?.default;
}

/** What its keys are called in a configuration. */
export function fieldNames(model: string): readonly string[] {
  return Object.entries(modelOf(model)).flatMap(([name, { alias }]) =>
    alias === undefined ? [name] : [name, alias],
  );
}
