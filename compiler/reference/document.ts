/** What a file says, as JSON that the schema describes. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { changedBy } from "../../dsl/eval/blocks/changed-by.ts";
import { groupOf } from "../../dsl/eval/blocks/property.ts";
import { variationsOf } from "../../dsl/eval/variants/vary.ts";
import { describeDimension, isDimensionless } from "../../dsl/types/units.ts";
import { show, type Value, type Valued } from "../../dsl/types/value.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function documentOf(program: Program): Readonly<Record<string, Json>> {
  const kinds: Record<string, Record<string, Json>> = {};
  for (const block of program.blocks) {
    if (block.abstract || block.name === null || block.kind.variant === true) continue;
    (kinds[block.kind.name] ??= {})[block.name] = blockJson(block);
  }
  return kinds;
}

function blockJson(block: Instance): Json {
  const { kind, context } = block;
  const said: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(kind.properties), ...block.values.keys()])) {
    if (kind.blocks?.[name] !== undefined) continue;
    const value = context.property(block, name, block.span);
    const json = value === null || isUnsaid(value) ? undefined : valueJson(value.value);
    if (json !== undefined) said[name] = json;
  }
  for (const name of new Set([...Object.keys(kind.blocks ?? {}), ...block.blocks.keys()])) {
    const group = groupOf(block, name);
    if (group === null) continue;
    if (kind.blocks?.[name] !== undefined) said[name] = blockJson(group);
    else
      said[group.kind.name] = {
        ...(said[group.kind.name] as Record<string, Json> | undefined),
        [name]: blockJson(group),
      };
  }
  if (kind.amends === true) Object.assign(said, fieldsJson(changedBy(block)));
  if (kind.varies !== undefined)
    for (const { path, values } of variationsOf(block))
      said[path] = values.flatMap(({ value }) => valueJson(value) ?? []);
  return said;
}

/** Nothing was written and nothing stands for it; a `none` that was written is kept. */
const isUnsaid = ({ value, origin }: Valued): boolean => value.kind === "none" && origin.kind === "default";

/** `undefined` for what is known only later. */
function valueJson(value: Value): Json | undefined {
  switch (value.kind) {
    case "none":
      return null;
    case "auto":
      return "auto";
    case "bool":
    case "string":
      return value.value;
    case "number":
      return isDimensionless(value.dimension)
        ? value.value
        : { value: value.value, unit: describeDimension(value.dimension) };
    case "list":
      return value.items.flatMap((item) => valueJson(item.value) ?? []);
    case "range":
      return { from: valueJson(value.from) ?? null, to: valueJson(value.to) ?? null };
    case "record":
      return fieldsJson(value.fields);
    case "choice":
      return { choice: value.name, ...fieldsJson(value.arguments) };
    case "member":
      return value.name;
    case "block":
      return value.block.name ?? blockJson(value.block);
    case "handle":
    case "formula":
      return show(value);
    case "secret":
      return { secret: value.name };
    case "function":
    case "unknown":
      return undefined;
  }
}

function fieldsJson(fields: ReadonlyMap<string, Valued>): Record<string, Json> {
  const entries = [...fields].flatMap(([name, field]) => {
    const json = isUnsaid(field) ? undefined : valueJson(field.value);
    return json === undefined ? [] : [[name, json] as const];
  });
  return Object.fromEntries(entries);
}
