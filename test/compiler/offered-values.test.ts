/** Whatever a message lists as valid, or offers to write, is taken where it is listed. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { registry } from "../../compiler/kinds/index.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { BlockKind, Type } from "../../dsl/kind.ts";
import { meanings } from "../../dsl/types/type.ts";
import { alone } from "../support/alone.ts";

/** Paths of the properties that have words of their own. */
function wordedIn(kind: BlockKind, path: readonly string[]): readonly (readonly string[])[] {
  const own = Object.entries(kind.properties).flatMap(([name, { type }]) =>
    meanings(type).some(isWorded) ? [[...path, name]] : [],
  );
  return [...own, ...Object.entries(kind.blocks ?? {}).flatMap(([name, group]) => wordedIn(group, [...path, name]))];
}

const isWorded = (type: Type): boolean => type.kind === "enum" || type.kind === "choice" || type.kind === "bool";

/** Words that nobody offers would be told with one of these. */
const refused = new Set([
  "cdr/name-unknown",
  "cdr/value-choice",
  "cdr/type-mismatch",
  "cdr/property-kept",
  "cdr/value-quoted",
]);

function told(kind: string, path: readonly string[], value: string): readonly Diagnostic[] {
  const body = path.reduceRight((inner, name) => (inner === "" ? `${name} = ${value}` : `${name} { ${inner} }`), "");
  const text = `/// x\n${kind} x { ${body} }\n`;
  const at = text.indexOf(` = ${value}`);
  return compile({ path: "a.cdr", text }, alone).diagnostics.filter(
    ({ code, span }) => refused.has(code) && span.start >= at,
  );
}

const typed = ["zzz", '"zzz"', "zzz(1)", "null", "None", "True", "on", "yes", "17 zzz", "none", "auto"];

describe("what is offered is taken", () => {
  for (const kind of Object.values(registry.kinds).filter(({ variant }) => variant !== true)) {
    it(kind.name, () => {
      for (const path of wordedIn(kind, [])) {
        for (const value of typed) {
          for (const { valid, fixes } of told(kind.name, path, value)) {
            const written = fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText)).filter((t) => t !== "");
            for (const word of new Set([...valid, ...written])) {
              if (word.includes("=")) continue;
              const where = `${[kind.name, ...path].join(".")} = ${value}: ${word}`;
              const said = value.startsWith("[") ? `[${word}]` : word;
              expect([where, told(kind.name, path, said).map(({ message }) => message)]).toEqual([where, []]);
            }
          }
        }
      }
    });
  }
});
