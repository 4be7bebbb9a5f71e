import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { engineRawRefused, engineRawType, engineRawUnknown } from "../../../diagnostics/engine-raw.ts";
import type { Document } from "../../../document.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { Rule } from "../../engine.ts";
import { coerce } from "../coerce.ts";
import { currentNames, type Key, type Keys } from "../key.ts";
import { isSection } from "../merge.ts";
import { keysOfConfig, removedKeys, removedZeroKeys } from "../sections.ts";
import { modelOf, version } from "../table.ts";
import { misplaced } from "../unread.ts";
import { valueOf } from "../value.ts";
import { wasRead } from "../versions.ts";
import { releaseOf } from "./releases.ts";
import { spanOf } from "./span.ts";
import { inTable } from "../../../../dsl/in-table.ts";

/** Every key is one that the engine reads, and its value of the type it reads. */
export const rawKeys: Rule = {
  name: "raw-keys",
  source:
    "deepspeed runtime/config_utils.py: DeepSpeedConfigModel (extra=forbid); runtime/config.py: DeepSpeedConfig (ignores the rest; " +
    "refuses removed features by name)",
  check: (stage) => keysOf(stage, keysOfConfig, stage.raw, ""),
};

const refused: Readonly<Record<string, string>> = {
  ...removedKeys,
  ...Object.fromEntries(Object.entries(removedZeroKeys).map(([key, advice]) => [`zero_optimization.${key}`, advice])),
};

function keysOf(
  stage: StageStep,
  known: Keys,
  given: Readonly<Record<string, Document>>,
  prefix: string,
): Diagnostic[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const span = spanOf(stage, path);
    if (wasRead(releaseOf(stage), path)) return [];
    const advice = inTable(refused, path);
    if (advice !== undefined) return [engineRawRefused(span, { key: path, engine: "deepspeed", version, advice })];
    const key = Object.hasOwn(known, name) ? known[name] : undefined;
    if (key === undefined) {
      const valid = [...currentNames(known)];
      const history = misplaced(path, name);
      const best = history === null ? nearest(name, valid) : null;
      const fixes = best === null || !stage.rawSpans.has(path) ? [] : [replacement(span, best)];
      return [
        engineRawUnknown(
          span,
          { key: path, engine: "deepspeed", nearest: best, history },
          { valid: fixes.length === 0 ? valid.sort() : [], fixes },
        ),
      ];
    }
    const inner = keysIn(key);
    if (inner !== null && isSection(value)) return keysOf(stage, inner, value, `${path}.`);
    const wanted = wantedOf(key, value);
    if (wanted === null) return [];
    return [engineRawType(span, { key: path, value: JSON.stringify(value), wanted }, { valid: validOf(key) })];
  });
}

/** The keys of a section; `null` for a value, and for a section whose keys nobody names. */
function keysIn(key: Key): Keys | null {
  if (key.type === "section") return key.keys;
  if (key.type !== "model") return null;
  const fields = modelOf(key.model ?? "");
  const byName = Object.entries(fields).flatMap(([name, field]) => [
    [name, field] as const,
    ...(field.alias === undefined ? [] : [[field.alias, field] as const]),
  ]);
  return Object.fromEntries(byName);
}

/** What would do in place of a value; `null` where it does. */
function wantedOf(key: Key, value: Document): string | null {
  if (key.type === "section") return "a section";
  const coerced = coerce(key, valueOf(value));
  if ("wanted" in coerced) return coerced.wanted;
  // A word of the transformers Trainer, but for keys of which it is a value: the engine would take its own default, without a word.
  const isOwn = key.default === "auto" || (key.values ?? []).includes("auto");
  return value === "auto" && !isOwn ? "a value: nothing fills in auto here" : null;
}

function validOf(key: Key): string[] {
  if (key.type === "section") return [];
  return key.values?.map(String) ?? (key.type === "bool" ? ["true", "false"] : []);
}
