import { coerce, toInt } from "./coerce.ts";
import type { Report } from "./finding.ts";
import { modelOf, type Field, type Model } from "./table.ts";
import { Undecided } from "./unknown.ts";
import { isSection, truthy, type Value } from "./value.ts";

/** A section after the engine's own class has read it. */
export interface Fields {
  readonly given: (name: string) => boolean;
  readonly value: (name: string) => Value | undefined;
  readonly on: (name: string) => boolean;
  readonly number: (name: string) => number;
  readonly text: (name: string) => string;
  /** A section within, `null` where it is left out or null. */
  readonly section: (name: string) => Fields | null;
}

/** Reads a section as the engine's class does (runtime/config_utils.py: DeepSpeedConfigModel), reporting what it refuses. */
export function readFields(modelName: string, section: Value | undefined, path: string, report: Report): Fields {
  const model = modelOf(modelName);
  if (section !== undefined && !isSection(section)) {
    report({ kind: "shape", path, value: section });
    return broken;
  }
  const names = new Map(
    Object.entries(model).flatMap(
      ([name, { alias }]) => [[name, name], ...(alias === undefined ? [] : [[alias, name]])] as [string, string][],
    ),
  );
  const strict = truthy(section?.get("strict"));
  const valid = (): readonly string[] =>
    [...names].flatMap(([key, name]) => (model[name]?.deprecated === undefined ? [key] : []));
  const values = new Map<string, Value>();
  const sections = new Map<string, Fields>();
  const failed = new Set<string>();
  for (const [key, value] of section ?? []) {
    // `strict` is a parameter of the constructor, and "auto" is left out before the schema looks.
    if (key === "strict") continue;
    if (value === "auto" && !strict) {
      report({ kind: "dropped", path: `${path}.${key}` });
      continue;
    }
    const name = names.get(key);
    const field = name === undefined ? undefined : model[name];
    if (name === undefined || field === undefined) {
      report({ kind: "extra", path: `${path}.${key}`, valid: valid() });
      continue;
    }
    if (values.has(name)) {
      report({ kind: "extra", path: `${path}.${key}`, valid: valid() });
      continue;
    }
    const before = ahead[modelName]?.[name]?.(value);
    const coerced = before ?? coerce(field, value);
    if ("wanted" in coerced) {
      failed.add(name);
      report({
        kind: "value",
        path: `${path}.${key}`,
        value,
        wanted: coerced.wanted,
        valid: (field.values ?? []).map(String),
      });
      continue;
    }
    values.set(name, coerced.value);
    if (field.type === "model" && field.model !== undefined && coerced.value !== null)
      sections.set(name, readFields(field.model, leafLists(field.model, coerced.value), `${path}.${key}`, report));
  }
  reportDeprecated(model, values, sections, path, report);
  return fieldsOf(model, values, sections, failed);
}

function fieldsOf(
  model: Model,
  values: Map<string, Value>,
  sections: Map<string, Fields>,
  failed: Set<string>,
): Fields {
  const value = (name: string): Value | undefined => {
    if (failed.has(name)) throw new Undecided(name);
    return values.get(name) ?? model[name]?.default;
  };
  const numeric = (name: string): number => {
    const found = value(name);
    if (typeof found === "number") return found;
    if (typeof found === "object" && found !== null && "value" in found) return found.value;
    throw new Undecided(name);
  };
  return {
    given: (name) => values.has(name) || failed.has(name),
    value,
    on: (name) => value(name) === true,
    number: numeric,
    text: (name) => String(value(name) ?? ""),
    section: (name) => {
      if (failed.has(name)) throw new Undecided(name);
      return sections.get(name) ?? null;
    },
  };
}

const broken: Fields = {
  given: () => false,
  value: (name) => {
    throw new Undecided(name);
  },
  on: (name) => {
    throw new Undecided(name);
  },
  number: (name) => {
    throw new Undecided(name);
  },
  text: (name) => {
    throw new Undecided(name);
  },
  section: (name) => {
    throw new Undecided(name);
  },
};

/** An old name next to the new one is refused; alone, its value moves (DeepSpeedConfigModel._process_deprecated_field). */
function reportDeprecated(
  model: Model,
  values: Map<string, Value>,
  sections: Map<string, Fields>,
  path: string,
  report: Report,
): void {
  for (const [name, { deprecated }] of Object.entries(model) as [string, Field][]) {
    if (deprecated === undefined || !values.has(name)) continue;
    const value = values.get(name) ?? null;
    const use = deprecated.use;
    if (deprecated.sets && values.has(use)) report({ kind: "both", path: `${path}.${name}`, use });
    else report({ kind: "deprecated", path: `${path}.${name}`, use });
    if (!deprecated.sets || values.has(use)) continue;
    const target = model[use]?.model;
    if (target === undefined) values.set(use, value);
    else if (value === true) {
      const host: Value = new Map([["device", "cpu"]]);
      values.set(use, host);
      sections.set(
        use,
        readFields(target, host, `${path}.${use}`, () => undefined),
      );
    }
  }
}

/** runtime/zero/leaf_module_config.py: one name stands for a list of one. */
function leafLists(modelName: string, section: Value): Value {
  if (modelName !== "DeepSpeedZeroLeafModuleConfig" || !isSection(section)) return section;
  return new Map(
    [...section].map(([key, value]) => [key, typeof value === "string" && value !== "auto" ? [value] : value]),
  );
}

/** `int(value)` is tried first, which takes fewer texts than the schema does; truth values are refused. */
function pythonInteger(value: Value): { readonly wanted: string } | undefined {
  return typeof value === "boolean" || toInt(value) === undefined ? { wanted: "a whole number" } : undefined;
}

type Before = (value: Value) => { readonly wanted: string } | { readonly value: Value } | undefined;

/** What a class looks at before its schema does (runtime/precision_config.py, runtime/zero/leaf_module_config.py). */
const ahead: Readonly<Record<string, Readonly<Record<string, Before>>>> = {
  DeepSpeedFP16Config: {
    loss_scale: (value) => {
      if (typeof value === "boolean") return { wanted: "a number >= 0 (0 adjusts it on the way)" };
      const coerced = coerce({ type: "float" }, value);
      const number = "value" in coerced ? (coerced.value as { readonly value: number }).value : NaN;
      return Number.isFinite(number) && number >= 0
        ? undefined
        : { wanted: "a finite number >= 0 (0 adjusts it on the way)" };
    },
    loss_scale_window: pythonInteger,
    min_loss_scale: pythonInteger,
  },
  DeepSpeedZeroConfig: {
    leaf_module: (value) => (value === null ? { value: new Map() } : undefined),
  },
};
