/** Prints what scripts/deepspeed-versions.py asks about: the keys that the newest DeepSpeed reads, by their dotted path. */
import type { Keys } from "../compiler/engines/deepspeed/key.ts";
import { keysOfConfig, removedKeys, removedZeroKeys } from "../compiler/engines/deepspeed/sections.ts";
import { fieldNames, modelOf, version } from "../compiler/engines/deepspeed/table.ts";

const keys: Record<string, string | null> = {};
const models: Record<string, string> = {};
const fields: Record<string, readonly string[]> = {};

function addModel(path: string, name: string): void {
  models[path] = name;
  fields[name] = fieldNames(name);
  for (const field of fieldNames(name)) keys[`${path}.${field}`] = name;
  for (const [field, { model }] of Object.entries(modelOf(name)))
    if (model !== undefined) addModel(`${path}.${field}`, model);
}

function add(prefix: string, section: Keys): void {
  for (const [name, key] of Object.entries(section)) {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    keys[path] = null;
    if (key.type === "section") add(path, key.keys);
    else if (key.model !== undefined) addModel(path, key.model);
  }
}

add("", keysOfConfig);
const removed = [
  ...Object.keys(removedKeys),
  ...Object.keys(removedZeroKeys).map((key) => `zero_optimization.${key}`),
];
process.stdout.write(`${JSON.stringify({ version, keys, models, fields, removed })}\n`);
