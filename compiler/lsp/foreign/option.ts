/** What an option of an engine is, as an editor tells of it. */
import { keysOfConfig } from "../../engines/deepspeed/sections.ts";
import type { Key, Keys } from "../../engines/deepspeed/key.ts";
import { modelOf, version as deepspeedVersion } from "../../engines/deepspeed/table.ts";
import { argumentTable, type Argument } from "../../engines/megatron/table.ts";
import { deepspeedDocs } from "./deepspeed-docs.ts";

export interface Option {
  readonly name: string;
  readonly doc: string;
  readonly type: string;
  readonly default: string | null;
  readonly values: readonly string[];
  readonly engine: string;
  readonly deprecated: string | null;
}

const megatron = argumentTable("hybrid");

export function megatronOption(name: string): Option | null {
  const argument =
    megatron.byName.get(name) ?? argumentTable("rl").byName.get(name) ?? argumentTable("multimodal").byName.get(name);
  return argument === undefined ? null : optionOf(argument);
}

export const megatronOptions = (): readonly Option[] =>
  megatron.all.flatMap((each) => each.names.map((name) => optionOf(each, name)));

function optionOf(argument: Argument, name = argument.names[0] ?? ""): Option {
  const { action, nargs, type, choices, help, deprecation } = argument;
  const value =
    action === undefined ? `${words[type ?? "str"] ?? type}${nargs === undefined ? "" : ", several"}` : "a switch";
  return {
    name,
    doc: help,
    type: value,
    default: argument.default === undefined || argument.default === null ? null : JSON.stringify(argument.default),
    values: (choices ?? []).map(String),
    engine: `Megatron-LM ${megatron.version}`,
    deprecated:
      argument.deprecated === true ? (deprecation?.replacement ?? deprecation?.status ?? "deprecated") : null,
  };
}

const words: Readonly<Record<string, string>> = { int: "a whole number", float: "a number", str: "a text" };

/** The key of a DeepSpeed configuration at a path, and those that stand in its section. */
export function deepspeedKey(path: readonly string[]): Option | null {
  const name = path.at(-1);
  const keys = deepspeedKeys(path.slice(0, -1));
  const key = name === undefined ? undefined : keys?.[name];
  return key === undefined || name === undefined ? null : keyOption(name, key, path);
}

export function deepspeedKeys(path: readonly string[]): Keys | null {
  let keys: Keys | null = keysOfConfig;
  for (const name of path) {
    const key: Key | undefined = keys?.[name];
    keys = key === undefined ? null : insideOf(key);
  }
  return keys;
}

function insideOf(key: Key): Keys | null {
  if (key.type === "section") return key.keys;
  const parts = key.type === "union" && Array.isArray(key.of) ? (key.of as readonly Key[]) : [key];
  const model = parts
    .map((part) => (part.type === "model" ? part.model : undefined))
    .find((each) => each !== undefined);
  return model === undefined ? null : withAliases(modelOf(model));
}

/** A class reads a field by its alias where it has one. */
const withAliases = (fields: Keys): Keys =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, key]) =>
      key.type !== "section" && key.alias !== undefined
        ? [
            [name, key],
            [key.alias, key],
          ]
        : [[name, key]],
    ),
  );

export function keyOption(name: string, key: Key, path: readonly string[]): Option {
  const plain = key.type === "section" ? null : key;
  return {
    name,
    doc: deepspeedDocs[path.join(".")] ?? "",
    type: typeText(key),
    default: plain?.default === undefined ? null : JSON.stringify(plain.default),
    values: [...(plain?.values ?? []).map(String), ...(key.type === "bool" ? ["true", "false"] : [])],
    engine: `DeepSpeed ${deepspeedVersion}`,
    deprecated: plain?.deprecated?.use ?? null,
  };
}

function typeText(key: Key): string {
  if (key.type === "section") return "a section";
  const limits = [
    ...(key.ge === undefined ? [] : [`from ${key.ge}`]),
    ...(key.gt === undefined ? [] : [`above ${key.gt}`]),
    ...(key.le === undefined ? [] : [`to ${key.le}`]),
    ...(key.lt === undefined ? [] : [`below ${key.lt}`]),
  ].join(", ");
  const type = names[key.type] ?? key.type;
  return `${type}${limits === "" ? "" : ` ${limits}`}${key.null === true ? ", or null" : ""}`;
}

const names: Readonly<Record<string, string>> = {
  bool: "true or false",
  int: "a whole number",
  float: "a number",
  str: "a text",
  enum: "a name",
  literal: "a name",
  list: "a list",
  dict: "a section",
  model: "a section",
  union: "a value or a section",
  any: "anything",
  none: "null",
};

/** Lines of Markdown. */
export function described(option: Option): string {
  const { name, doc, type, values, engine, deprecated } = option;
  return [
    `\`${name}\``,
    ...(doc === "" ? [] : [`${doc.replace(/\.$/, "")}.`]),
    `*${type}*${option.default === null ? "" : `, ${option.default} by default`}`,
    ...(values.length === 0 ? [] : [`One of ${values.map((value) => `\`${value}\``).join(", ")}.`]),
    ...(deprecated === null ? [] : [`Deprecated: ${deprecated}.`]),
    engine,
  ].join("\n\n");
}
