/** What a family's class cannot have. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { sizeUncounted, sizeUnsupported } from "../../diagnostics/size.ts";
import type { Draft, Family } from "../../models/family.ts";
import { families } from "../../models/index.ts";
import { valueAt } from "../../models/shape.ts";
import type { ModelRequest, Scalar } from "../../pipeline.ts";
import { complete } from "./complete.ts";
import { has, isKnown } from "./properties.ts";

/** Properties that the family's class does not have: all of them. */
export function inexpressible(family: Family, request: ModelRequest): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [property, { value, span }] of request.given) {
    const only = has(family, property) ? family.fixed[property] : [];
    if (only === undefined || only === "derived" || only.includes(value)) continue;
    if (request.byMegatron === true && isArgument(property)) {
      const slots = { family: family.name, property, value: String(value), counted: only.map(String).join(" or ") };
      found.push(sizeUncounted(span, slots));
      continue;
    }
    found.push(
      sizeUnsupported(
        span,
        { family: family.name, class: family.class, property, value: String(value), can: whoCan(property, value) },
        {
          valid: only.map(String),
          fixes: only.slice(0, 1).map((one) => ({
            title: `use ${property} = ${String(one)}`,
            edits: [{ span, newText: String(one) }],
          })),
        },
      ),
    );
  }
  return found;
}

/** What Megatron's own blocks have by an argument each, whatever family a model is of. */
export function isArgument(property: string): boolean {
  return freeInMegatron.has(property);
}

const freeInMegatron: ReadonlySet<string> = new Set([
  ...["norm", "gated", "bias", "qkv_bias", "qk_norm", "positions", "rotary_fraction", "rope_theta"],
]);

function whoCan(property: string, value: Scalar): string {
  const able = Object.values(families)
    .filter((family) => {
      if (!has(family, property)) return false;
      const only = family.fixed[property];
      return only === undefined || (only !== "derived" && only.includes(value));
    })
    .map((family) => family.name);
  return canText(able);
}

function canText(able: readonly string[]): string {
  if (able.length === 0) return "no family here can";
  const named = able.slice(0, 5).join(", ");
  return able.length > 5 ? `${named} and ${able.length - 5} more can` : `${named} can`;
}

/** A property that follows from others may be written, as long as it says the same. */
export function derivedMismatch(family: Family, request: ModelRequest, pins: Draft): Diagnostic[] {
  return [...request.given].flatMap(([name, given]) => {
    if (!isKnown(name) || family.fixed[name] !== "derived") return [];
    if (request.byMegatron === true && isArgument(name)) return [];
    const { [name]: _, ...rest } = pins;
    const shape = complete(family, rest, new Map())?.shape;
    const value = shape === undefined ? given.value : valueAt(shape, name);
    if (value === given.value) return [];
    const able = Object.values(families).filter(
      (other) => Object.hasOwn(other.defaults, name) && other.fixed[name] === undefined,
    );
    const rule = family.defaults[name]?.rule ?? "derived";
    return [
      sizeUnsupported(
        given.span,
        {
          family: family.name,
          class: family.class,
          property: name,
          value: String(given.value),
          can: `here it is ${rule}; ${canText(able.map((other) => other.name))}`,
        },
        { valid: [String(value)] },
      ),
    ];
  });
}
