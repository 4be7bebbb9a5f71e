import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import {
  sizeBounds,
  sizeConflict,
  sizeUnderspecified,
  sizeUnreachable,
  sizeUnsupported,
} from "../diagnostics/size.ts";
import type { Draft, Family, Property, Shape } from "../models/family.ts";
import { families } from "../models/index.ts";
import { flopsPerToken, parametersOf } from "../models/measure.ts";
import { valueAt } from "../models/shape.ts";
import type { Given, ModelRequest, Scalar } from "../pipeline.ts";
import type { SizedModel } from "../plan.ts";
import { indivisible } from "../planner/splits.ts";
import { admits, boundText } from "./size/bounds.ts";
import { complete } from "./size/complete.ts";
import { count } from "./size/count.ts";
import { depthOf } from "./size/ladder.ts";
import { isKnown } from "./size/properties.ts";
import { searchWithExperts } from "./size/experts.ts";
import { type Candidate, search } from "./size/search.ts";
import { whyMissed } from "./size/why-missed.ts";
import { groupedQueries, groupedSource, type Knob } from "./size/slope.ts";
import { violations } from "./size/violations.ts";

export interface Sized {
  /** `null` when the request cannot be built. */
  readonly model: SizedModel | null;
  /** Origin of each property, by its name. */
  readonly origins: Readonly<Record<string, Origin>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Decides every property of a model: written ones, the family's defaults, and what `size = auto(…)` leaves to choose. */
export function size(request: ModelRequest): Sized {
  const family = families[request.family.value];
  const diagnostics = inexpressible(family, request);
  const { pins, origins } = pinned(family, request);
  if (diagnostics.length > 0) return { model: null, origins, diagnostics };

  const solved = request.size === null ? fixed(family, request, pins) : sized(family, request, pins, request.size);
  if (solved.shape === null) return { model: null, origins, diagnostics: solved.diagnostics };
  const all = { ...solved.origins, ...origins };
  diagnostics.push(
    ...solved.diagnostics,
    ...violations(family, request, solved.shape),
    ...derivedMismatch(family, request, { ...pins, layers: solved.shape.layers, d_model: solved.shape.d_model }),
    ...outOfBounds(request, solved.shape, all),
  );
  const broken = diagnostics.some((d) => d.severity === "error");
  return { model: broken ? null : modelOf(family, solved.shape), origins: all, diagnostics };
}

function modelOf(family: Family, shape: Shape): SizedModel {
  return {
    family: family.name,
    ...shape,
    parameters: parametersOf(family, shape),
    flops_per_token: flopsPerToken(family, shape, shape.context, "none"),
  };
}

interface Solution {
  readonly shape: Shape | null;
  readonly origins: Readonly<Record<string, Origin>>;
  readonly diagnostics: readonly Diagnostic[];
}

function fixed(family: Family, request: ModelRequest, pins: Draft): Solution {
  const layers = pins.layers ?? pins.pattern?.length;
  const completed =
    layers === undefined || pins.d_model === undefined ? null : complete(family, pins, request.bounds);
  if (completed !== null) return { ...completed, diagnostics: [] };
  const missing = [...(layers === undefined ? ["layers"] : []), ...(pins.d_model === undefined ? ["d_model"] : [])];
  return {
    shape: null,
    origins: {},
    diagnostics: [sizeUnderspecified(request.span, { model: request.name, missing: missing.join(" and ") })],
  };
}

/** The shape at the ends of what depth and width may be, where none inside them comes near the count. */
function atBounds(
  family: Family,
  pins: Draft,
  bounds: ModelRequest["bounds"],
  wanted: NonNullable<ModelRequest["size"]>,
): Candidate | null {
  const ends = ["min", "max"] as const;
  const of = (name: "layers" | "d_model", end: "min" | "max"): number | undefined =>
    pins[name] ?? bounds.get(name)?.[end] ?? undefined;
  const found = ends.flatMap((end) => {
    const [layers, d_model] = [of("layers", end), of("d_model", end)];
    if (layers === undefined && d_model === undefined) return [];
    const held = {
      ...pins,
      ...(layers === undefined ? {} : { layers }),
      ...(d_model === undefined ? {} : { d_model }),
    };
    const { best, closest } = search(family, held, bounds, wanted);
    return best ?? closest ?? [];
  });
  return found.sort((a, b) => Math.abs(a.error) - Math.abs(b.error))[0] ?? null;
}

function sized(
  family: Family,
  request: ModelRequest,
  pins: Draft,
  wanted: NonNullable<ModelRequest["size"]>,
): Solution {
  const isOpposed = wanted.total !== undefined && wanted.target >= wanted.total;
  const { best, closest: near } = isOpposed
    ? { best: null, closest: null }
    : searchWithExperts(family, pins, request.bounds, wanted);
  if (best === null) {
    const closest = near ?? (wanted.total === undefined ? atBounds(family, pins, request.bounds, wanted) : null);
    const target = count(wanted.target);
    const within = `${Number((100 * wanted.within).toPrecision(3))} %`;
    const pinnedAll = pins.layers !== undefined && pins.d_model !== undefined && pins.d_ff !== undefined;
    const diagnostic =
      pinnedAll && closest !== null && wanted.total === undefined
        ? sizeConflict(wanted.span, { target, actual: count(closest.parameters), within })
        : sizeUnreachable(
            wanted.span,
            {
              asked:
                wanted.total === undefined
                  ? `${target} ${wanted.which}`
                  : `${count(wanted.total)} total and ${target} active`,
              within,
              why: whyMissed(family, pins, request.bounds, wanted, closest),
            },
            {
              related: [...request.bounds].map(([name, bound]) => ({
                message: `${name} ${boundText(bound)}`,
                span: bound.spans[0] ?? request.span,
              })),
            },
          );
    return { shape: null, origins: {}, diagnostics: [diagnostic] };
  }
  const { shape } = best;
  const depth = depthOf(family, shape.d_model);
  const ratio = `${shape.layers} layers of ${shape.d_model}, where published shapes have ${depth.layers.toFixed(0)}, as ${depth.like} (Kaplan et al., arXiv 2001.08361: loss hardly depends on it)`;
  const missed = `${count(best.parameters)} parameters, ${(100 * best.error).toFixed(2)} % off ${count(wanted.target)}`;
  const chosenOf: Draft = {
    ...pins,
    ...pick(shape, best.tuned),
    ...(wanted.total === undefined || shape.moe === undefined
      ? {}
      : { "moe.experts": shape.moe.experts, "moe.top_k": shape.moe.top_k }),
  };
  const queries = groupedQueries(family, chosenOf, request.bounds);
  const completed = complete(family, { ...chosenOf, ...queries }, request.bounds);
  const origins: Record<string, Origin> = { ...completed?.origins };
  const chosen = (property: Property, reason: string): void => {
    if (pins[property] === undefined) origins[property] = { kind: "chosen", by: "sizer", reason };
  };
  const stages = evenParts(shape.layers);
  const dealt =
    stages === 1
      ? ""
      : `; ${stages} stages of a pipeline get as many each (Narayanan et al., arXiv 2104.04473, section 2.2)`;
  chosen("layers", `${ratio}${dealt}; ${missed}${wanted.rule === undefined ? "" : `; ${wanted.rule}`}`);
  const ranks = tensorParts(shape);
  const shared =
    ranks === 1
      ? ""
      : `, and ${ranks} tensor-parallel ranks have as many of ${shape.heads} heads each (Megatron-LM, arXiv 1909.08053)`;
  if (queries.kv_heads !== undefined)
    chosen(
      "kv_heads",
      `8 from d_model 8192 on, or the largest power of two below it that divides heads (${groupedSource})`,
    );
  if (wanted.total !== undefined) {
    const { total } = parametersOf(family, shape);
    const both = `${count(total)} parameters in all, ${(100 * (total / wanted.total - 1)).toFixed(2)} % off ${count(wanted.total)}`;
    chosen("moe.experts", `${both}; expert-parallel ranks get as many each`);
    chosen(
      "moe.top_k",
      `of ${shape.moe?.experts ?? 0} experts; the family's, or next to it where both counts ask for another`,
    );
  }
  chosen(
    "d_model",
    `${ratio}; a multiple of ${alignment(shape.d_model)} keeps matrix products aligned (NVIDIA, Matrix Multiplication Background User's Guide)${shared}`,
  );
  if (best.tuned !== null) chosen(best.tuned, `moved off the family's rule to meet the count: ${missed}`);
  return { shape, origins, diagnostics: [] };
}

function pick(shape: Shape, tuned: Knob | null): Draft {
  const { layers, d_model } = shape;
  return { layers, d_model, ...(tuned === null ? {} : { [tuned]: valueAt(shape, tuned) }) };
}

/** Tensor-parallel ranks that the planner may cut a shape for, of those that a node has. */
function tensorParts(shape: Shape): number {
  return shape.heads === 0 ? 1 : ([8, 4, 2].find((ranks) => indivisible(shape, ranks).length === 0) ?? 1);
}

/** In how many equal parts something comes, of the powers of two that clusters have of. */
function evenParts(value: number): number {
  return value === 0 ? 1 : ([8, 4, 2].find((parts) => value % parts === 0) ?? 1);
}

function alignment(value: number): number {
  return [256, 128, 64, 32, 16, 8].find((step) => value % step === 0) ?? 1;
}

/** Written values as pins; the tokenizer gives the vocabulary when nobody else does. */
function pinned(family: Family, request: ModelRequest): { pins: Draft; origins: Record<string, Origin> } {
  const pins: Record<string, Scalar> = {};
  const origins: Record<string, Origin> = {};
  const take = (property: string, given: Given<Scalar>): void => {
    pins[property] = given.value;
    origins[property] = given.origin;
  };
  if (request.tokenizerVocab !== null) {
    const rule = "ids of the tokenizer";
    const origin: Origin = { kind: "derived", rule, inputs: ["data.tokenizer"] };
    take("vocab", { ...request.tokenizerVocab, origin });
  }
  for (const [property, given] of request.given) if (has(family, property)) take(property, given);
  return { pins: pins as Draft, origins };
}

const has = (family: Family, property: string): property is Property =>
  property === "layers" || property === "d_model" || property in family.defaults;

/** Properties that the family's class does not have: all of them. */
function inexpressible(family: Family, request: ModelRequest): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [property, { value, span }] of request.given) {
    const only = has(family, property) ? family.fixed[property] : [];
    if (only === undefined || only === "derived" || only.includes(value)) continue;
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
function derivedMismatch(family: Family, request: ModelRequest, pins: Draft): Diagnostic[] {
  return [...request.given].flatMap(([name, given]) => {
    if (!isKnown(name) || family.fixed[name] !== "derived") return [];
    const { [name]: _, ...rest } = pins;
    const shape = complete(family, rest, new Map())?.shape;
    const value = shape === undefined ? given.value : valueAt(shape, name);
    if (value === given.value) return [];
    const able = Object.values(families).filter((other) => name in other.defaults && other.fixed[name] === undefined);
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

function outOfBounds(request: ModelRequest, shape: Shape, origins: Readonly<Record<string, Origin>>): Diagnostic[] {
  return [...request.bounds].flatMap(([property, bound]) => {
    if (!isKnown(property)) return [];
    const value = valueAt(shape, property) as Scalar | undefined;
    if (value === undefined || admits(bound, value)) return [];
    const span = request.given.get(property)?.span ?? bound.spans[0] ?? request.span;
    const origin = origins[property]?.kind ?? "default";
    return [
      sizeBounds(
        span,
        { property, value: String(value), bound: boundText(bound), origin },
        { related: bound.spans.map((at) => ({ message: "the bound is given here", span: at })) },
      ),
    ];
  });
}
