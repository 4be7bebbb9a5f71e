/** How a width's parameters grow with depth and with the knob: `fixed + layers * (rest + each * inner)`. */
import type { Draft, Family, Layer, Property, Shape } from "../../models/family.ts";
import { parametersOf, type Part, partsOf } from "../../models/measure.ts";
import { hasDense } from "../../models/routed.ts";
import { grouped } from "../../models/rules.ts";
import type { Bound } from "../../pipeline.ts";
import { admits, admitsShape } from "./bounds.ts";
import { complete } from "./complete.ts";
import { amongUsual } from "./feed-forward.ts";
import { depthOf } from "./ladder.ts";
import { uneven } from "./unevenness.ts";
import { buildable } from "./violations.ts";

/** What the sizer turns when no depth and width meet the target by themselves. */
export type Knob = "d_ff" | "moe.d_ff";

/** Parameters of a shape, by how they are counted. */
export type Counts = Readonly<Record<"total" | "active", number>>;

/** What both counts of a width have in common. */
export interface Cut {
  readonly width: number;
  readonly shape: (layers: number, inner: number) => Shape;
  readonly counted: (layers: number, inner: number) => Counts;
  readonly knob: Knob | null;
  /** The knob by the family's rule; of more or fewer experts to a token than the family has, with as much to pass through. */
  readonly ruled: number;
  /** The same whatever the number to a token. */
  readonly own: number;
  /** Which kinds of layers there are follows from the depth. */
  readonly isPatterned: boolean;
  /** The depth at which the slopes were taken. */
  readonly start: number;
  /** How badly the width is cut into heads. */
  readonly odd: number;
}

export interface Slope extends Cut {
  /** Parameters outside the layers, of a layer, and of a layer for each unit of the knob. */
  readonly fixed: number;
  readonly layer: number;
  readonly each: number;
}

export type Slopes = Readonly<Record<"total" | "active", Slope>>;

/** Widest group of layers that repeats in a family's pattern: slopes are taken over it. */
const period = 12;

export function slopesOf(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  ranks: number,
): Slopes | null {
  const pinned = pins.layers ?? pins.pattern?.length;
  const start = pinned ?? Math.max(period, Math.round(depthOf(family, pins.d_model ?? 1).layers));
  const held = { ...pins, layers: start };
  const base = complete(family, { ...held, ...groupedQueries(family, held, bounds) }, bounds)?.shape;
  if (base === undefined || !buildable(family, base)) return null;
  const pattern = pins.pattern === undefined ? family.defaults["pattern"]?.value : undefined;
  const knob = knobOf(family, pins, base);
  const expertFollows = family.defaults["moe.d_ff"]?.rule === "d_ff" && pins["moe.d_ff"] === undefined;
  const isOfExperts = knob === "moe.d_ff" || (knob === "d_ff" && expertFollows);
  const turned = knob === null ? [] : expertFollows ? [knob, "moe.d_ff" as const] : [knob];
  if (!admitsShape(bounds, base, ["layers", "pattern", "moe.shared_d_ff", ...turned])) return null;
  const own = knob === null ? 0 : knob === "d_ff" ? base.d_ff : (base.moe?.d_ff ?? 0);
  const ruled = isOfExperts ? passing(family, base, own) : own;
  const drawn = new Map<number, string>();
  const letters = (layers: number): string => {
    const text = drawn.get(layers) ?? String(typeof pattern === "function" ? pattern({ layers }) : pattern);
    drawn.set(layers, text);
    return text;
  };
  const shared = pins["moe.shared_d_ff"] === undefined ? family.defaults["moe.shared_d_ff"]?.value : undefined;
  const sharedOf = (inner: number): number =>
    typeof shared === "function" ? Number(shared({ "moe.d_ff": inner })) : 0;
  const shape = (layers: number, inner: number): Shape => ({
    ...base,
    layers,
    ...(typeof pattern === "function" ? { pattern: letters(layers) } : {}),
    ...(knob === "d_ff" ? { d_ff: inner } : {}),
    ...(base.moe !== undefined && isOfExperts
      ? {
          moe: {
            ...base.moe,
            d_ff: inner,
            ...(sharedOf(base.moe.d_ff) === base.moe.shared_d_ff ? { shared_d_ff: sharedOf(inner) } : {}),
          },
        }
      : {}),
  });
  const parts = new Map<number, readonly Part[]>();
  const counted = (layers: number, inner: number): Counts => {
    const one = shape(layers, inner);
    let known = parts.get(inner);
    if (known === undefined) parts.set(inner, (known = partsOf(family, one)));
    return parametersOf(family, one, known);
  };
  const odd = uneven.width(family, base) + uneven.ranks(base, ranks) + borrowed(family, held, bounds, base);
  const isPatterned = typeof pattern === "function";
  const cut = { width: base.d_model, isPatterned, shape, counted, knob, ruled, own, start, odd };
  const once = counted(start, ruled);
  const deeper = pinned === undefined ? counted(start + period, ruled) : null;
  const wider = knob === null ? once : counted(start, ruled + 64);
  const sloped = (which: "total" | "active"): Slope => {
    const layer = deeper === null ? once[which] / start : (deeper[which] - once[which]) / period;
    const each = (wider[which] - once[which]) / 64 / start;
    return { ...cut, layer, each, fixed: deeper === null ? 0 : once[which] - start * layer };
  };
  return { total: sloped("total"), active: sloped("active") };
}

/** Key-value heads that are written or bounded can ask for other heads than the family has at a width: another width may have its own. */
function borrowed(family: Family, pins: Draft, bounds: ReadonlyMap<string, Bound>, { heads }: Shape): number {
  if (pins.heads !== undefined || (pins.kv_heads === undefined && !bounds.has("kv_heads"))) return 0;
  const { kv_heads: _, ...open } = pins;
  const free = new Map([...bounds].filter(([name]) => name !== "kv_heads"));
  const own = complete(family, open, free)?.shape.heads ?? heads;
  return own === heads ? 0 : 1 + Math.abs(Math.log(heads / own));
}

/** How many experts to a token the family has at a width. */
export function usualTop(family: Family, d_model: number): number | null {
  const said = family.defaults["moe.top_k"]?.value;
  const value = typeof said === "function" ? said({ d_model }) : said;
  return typeof value === "number" ? value : null;
}

/** Half as many experts to a token are twice as wide: a token passes through as much as in the family. */
function passing(family: Family, { d_model, moe }: Shape, own: number): number {
  const usual = usualTop(family, d_model);
  if (moe === undefined || usual === null || usual === moe.top_k) return own;
  const wanted = amongUsual("moe.d_ff", (own * usual) / moe.top_k, d_model);
  const step = wanted < 512 ? 8 : 64;
  return Math.max(step, Math.round(wanted / step) * step);
}

/** The feed-forward part's width; where most layers have experts with a width of their own, theirs. */
function knobOf(family: Family, pins: Draft, shape: Shape): Knob | null {
  const own = family.defaults["moe.d_ff"];
  const hasOwn = own !== undefined && own.rule !== "d_ff" && family.layers.some((layer) => isRouted(layer, shape));
  const knob: Property = hasOwn ? "moe.d_ff" : "d_ff";
  if (pins[knob] !== undefined || family.fixed[knob] !== undefined) return null;
  // Where experts have a width of their own that is written, no layer may have another feed-forward part.
  const isRead = own?.rule !== "d_ff" || pins["moe.d_ff"] === undefined || hasDense(family, shape);
  return isRead ? knob : null;
}

/** Whether a layer has experts, and stands in the model: of letters, in its pattern. */
const isRouted = ({ place, tensors }: Layer, { pattern = "" }: Shape): boolean =>
  tensors.some(({ routed }) => routed) &&
  (!place.startsWith("letter:") || pattern.includes(place.slice("letter:".length)));

/** From this width on, models of families that leave it open have eight key-value heads, where the family says no other. */
export const groupedFrom = 7168;
export const groupedSource =
  "Yi 34B (arXiv 2403.04652), table 1; Llama 2 (arXiv 2307.09288), appendix A.2.1: 34B and 70B; Llama 3 (arXiv 2407.21783), table 3";
const eight = grouped(8, groupedSource);

/**
 * Grouped queries for a wide model whose family has as many keys as queries by default and may have fewer.
 */
export function groupedQueries(family: Family, draft: Draft, bounds: ReadonlyMap<string, Bound>): Draft {
  const own = family.defaults["kv_heads"];
  const from = family.groupedFrom?.(draft) ?? groupedFrom;
  if ((draft.d_model ?? 0) < from || draft.kv_heads !== undefined) return {};
  if (own?.rule !== "heads" || family.fixed["kv_heads"] !== undefined) return {};
  const heads = draft.heads ?? complete(family, draft, bounds)?.shape.heads;
  const kv_heads =
    typeof eight.value === "function" ? eight.value({ ...draft, ...(heads === undefined ? {} : { heads }) }) : null;
  return kv_heads === null || kv_heads < 4 || !admits(bounds.get("kv_heads"), kv_heads) ? {} : { kv_heads };
}
