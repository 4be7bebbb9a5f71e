import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import { sizeUnderspecified, sizeVocabulary } from "../diagnostics/size.ts";
import type { Draft, Family, Shape } from "../models/family.ts";
import { families } from "../models/index.ts";
import { flopsPerToken, parametersOf } from "../models/measure.ts";
import { withoutUnused } from "../models/routed.ts";
import type { ModelRequest } from "../pipeline.ts";
import type { SizedModel } from "../plan.ts";
import { complete } from "./size/complete.ts";
import { layered, unruled } from "./size/layered.ts";
import { derivedMismatch, inexpressible } from "./size/expressible.ts";
import { outOfBounds } from "./size/out-of-bounds.ts";
import { pinned } from "./size/pinned.ts";
import { sized } from "./size/sized.ts";
import type { Solution } from "./size/solution.ts";
import { unusedExperts } from "./size/unused-experts.ts";
import { violations } from "./size/violations.ts";

export interface Sized {
  /** `null` when the request cannot be built. */
  readonly model: SizedModel | null;
  /** Where all that keeps it from being built is too small a vocabulary, the model with one that is large enough: the rest is judged by it. */
  readonly mended: SizedModel | null;
  /** Origin of each property, by its name. */
  readonly origins: Readonly<Record<string, Origin>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Decides every property of a model: written ones, the family's defaults, and what `size = auto(…)` leaves to choose. */
export function size(request: ModelRequest): Sized {
  const known = families[request.family.value];
  const family = layered(known, request);
  const diagnostics = [...inexpressible(known, request), ...unruled(known, request)];
  const { pins, origins } = pinned(family, request);
  if (diagnostics.some(({ severity }) => severity === "error"))
    return { model: null, mended: null, origins, diagnostics };

  const solved =
    request.size === null
      ? fixed(family, request, pins)
      : sized(family, request, pins, cutFor(request.size, request));
  if (solved.shape === null) return { model: null, mended: null, origins, diagnostics: solved.diagnostics };
  const shape = withoutUnused(family, solved.shape);
  const decided = Object.entries({ ...solved.origins, ...origins });
  const all = Object.fromEntries(decided.filter(([name]) => shape.moe !== undefined || !name.startsWith("moe.")));
  diagnostics.push(
    ...solved.diagnostics,
    ...violations(family, request, solved.shape),
    ...derivedMismatch(family, request, { ...pins, layers: solved.shape.layers, d_model: solved.shape.d_model }),
    ...outOfBounds(request, solved.shape, all),
    ...unusedExperts(family, request, shape),
  );
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const rows = request.tokenizerVocab?.value;
  const isNarrow = rows !== undefined && errors.every(({ code }) => code === sizeVocabulary.code);
  const model = errors.length > 0 ? null : modelOf(family, shape);
  return {
    model,
    mended: model ?? (isNarrow ? modelOf(family, { ...shape, vocab: rows }) : null),
    origins: all,
    diagnostics,
  };
}

const cutFor = (
  wanted: NonNullable<ModelRequest["size"]>,
  { tensorRanks, pipelineStages }: ModelRequest,
): NonNullable<ModelRequest["size"]> => ({
  ...wanted,
  ...(tensorRanks === undefined ? {} : { ranks: tensorRanks }),
  ...(pipelineStages === undefined ? {} : { stages: pipelineStages }),
});

function modelOf(family: Family, shape: Shape): SizedModel {
  return {
    family: family.name,
    ...shape,
    parameters: parametersOf(family, shape),
    flops_per_token: flopsPerToken(family, shape, shape.context, "none"),
  };
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
