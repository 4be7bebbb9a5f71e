import { nearest } from "../../../dsl/diagnostics/nearest.ts";
import type { Report } from "./finding.ts";
import { currentNames, type Key, type Keys } from "./key.ts";
import { keysOfConfig, removedKeys, removedZeroKeys } from "./sections.ts";
import { fieldNames, modelOf } from "./table.ts";
import { isSection, type Section } from "./value.ts";
import { inTable } from "../../../dsl/in-table.ts";

/** Keys that nothing in the engine reads, and those that it refuses by name. */
export function reportKeys(config: Section, report: Report): void {
  for (const [key, advice] of Object.entries(removedKeys))
    if (config.has(key)) report({ kind: "removed", path: key, advice });
  const zero = config.get("zero_optimization");
  for (const [key, advice] of Object.entries(removedZeroKeys))
    if (isSection(zero) && zero.has(key)) report({ kind: "removed", path: `zero_optimization.${key}`, advice });
  walk(config, keysOfConfig, "", (path, name, known) => {
    if (inTable(removedKeys, path) !== undefined) return;
    if (path === "allgather_size" && zero === true) return;
    const best = nearest(name, currentNames(known));
    report({ kind: "ignored", path, nearest: best, why: misplaced(path, name) });
  });
  for (const [path, why] of unreadHere(config)) report({ kind: "ignored", path, nearest: null, why });
}

function walk(
  section: Section,
  keys: Keys,
  prefix: string,
  unread: (path: string, name: string, known: Keys) => void,
): void {
  for (const [name, value] of section) {
    const path = `${prefix}${name}`;
    const known = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (known === undefined) unread(path, name, keys);
    else if (known.type === "section" && isSection(value)) walk(value, known.keys, `${path}.`, unread);
  }
}

/** Keys that are read in other company only. */
function unreadHere(config: Section): readonly (readonly [path: string, why: string])[] {
  const unnamed = (["optimizer", "scheduler"] as const).flatMap((key): (readonly [string, string])[] => {
    const section = config.get(key);
    return isSection(section) && (section.get("type") ?? null) === null && section.has("params")
      ? [[`${key}.params`, `${key}.type is missing`]]
      : [];
  });
  const both = (config.get("bf16") ?? null) !== null && config.has("bfloat16");
  const alone = config.has("data_parallel_size") && !config.has("sequence_parallel_size");
  return [
    ...unnamed,
    ...(both ? [["bfloat16", "bf16 is given too, and takes precedence"] as const] : []),
    ...(alone ? [["data_parallel_size", "it is read only together with sequence_parallel_size"] as const] : []),
  ];
}

/** Where a key of this name is read, when it stands in the wrong place. */
export function misplaced(path: string, name: string): string | null {
  const homes = Object.entries(keysOfConfig).flatMap(([section, key]) =>
    namesIn(key).includes(name) && `${section}.${name}` !== path ? [`${section}.${instead(key, name)}`] : [],
  );
  const home = path !== name && Object.hasOwn(keysOfConfig, name) ? name : homes[0];
  return home === undefined || ["enabled", "type", "params", "profile"].includes(name)
    ? null
    : home.includes(".")
      ? `it belongs to ${home}`
      : `it belongs at the top level, like ${path.slice(0, path.lastIndexOf("."))}`;
}

/** The name that took the place of an old one. */
function instead(key: Key, name: string): string {
  return key.type === "model" ? (inTable(modelOf(key.model ?? ""), name)?.deprecated?.use ?? name) : name;
}

function namesIn(key: Key): readonly string[] {
  if (key.type === "section") return Object.keys(key.keys);
  return key.type === "model" ? fieldNames(key.model ?? "") : [];
}
