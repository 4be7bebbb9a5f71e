/** Why the sizer chose what it chose, in words. */
import type { Origin } from "../../../dsl/eval/origin.ts";
import type { Draft, Family, Property, Shape } from "../../models/family.ts";
import { parametersOf } from "../../models/measure.ts";
import { ranksFor } from "../../models/heads.ts";
import { valueAt } from "../../models/shape.ts";
import type { ModelRequest } from "../../pipeline.ts";
import { indivisible } from "../../planner/splits.ts";
import { complete } from "./complete.ts";
import { count } from "./count.ts";
import { depthOf } from "./ladder.ts";
import type { Candidate } from "./search.ts";
import { groupedFrom, groupedQueries, groupedSource, usualTop } from "./slope.ts";
import { stagesFor } from "./unevenness.ts";

/** Origins of what was open, by property. */
export function reasonsOf(
  family: Family,
  pins: Draft,
  bounds: ModelRequest["bounds"],
  wanted: NonNullable<ModelRequest["size"]>,
  best: Candidate,
): Record<string, Origin> {
  const { shape } = best;
  const depth = depthOf(family, shape.d_model);
  const ratio = `${shape.layers} layers of ${shape.d_model}, where published shapes have ${depth.layers.toFixed(0)}, as ${depth.like} (Kaplan et al., arXiv 2001.08361: loss hardly depends on it)`;
  const missed = `${count(best.parameters)} parameters, ${(100 * best.error).toFixed(2)} % off ${count(wanted.target)}`;
  const chosenOf: Draft = {
    ...pins,
    layers: shape.layers,
    d_model: shape.d_model,
    ...(best.tuned === null ? {} : { [best.tuned]: valueAt(shape, best.tuned) }),
    ...(wanted.total === undefined || shape.moe === undefined
      ? {}
      : { "moe.experts": shape.moe.experts, "moe.top_k": shape.moe.top_k }),
  };
  const queries = groupedQueries(family, chosenOf, bounds);
  const completed = complete(family, { ...chosenOf, ...queries }, bounds);
  const origins: Record<string, Origin> = { ...completed?.origins };
  const chosen = (property: Property, reason: string): void => {
    if (pins[property] === undefined) origins[property] = { kind: "chosen", by: "sizer", reason };
  };
  const stages = evenParts(shape.layers);
  const dealt =
    stages === 1
      ? ""
      : `; ${stages} pipeline stages get the same number each (Narayanan et al., arXiv 2104.04473, section 2.2)`;
  const depthLost = givenUp(shape.layers, stagesFor(shape.layers));
  chosen("layers", `${ratio}${dealt}${depthLost}; ${missed}${wanted.rule === undefined ? "" : `; ${wanted.rule}`}`);
  const ranks = tensorParts(shape);
  const shared =
    ranks === 1
      ? ""
      : `, and ${ranks} tensor-parallel ranks get the same number of ${shape.heads} heads each (Megatron-LM, arXiv 1909.08053)`;
  const uncut = givenUp(shape.heads, ranksFor(shape.d_model));
  const headsLost =
    uncut === "" || pins.heads !== undefined ? "" : `; heads ${shape.heads}${uncut.replace(";", ":")}`;
  if (queries.kv_heads !== undefined)
    chosen(
      "kv_heads",
      `8 from d_model ${family.groupedFrom?.(pins) ?? groupedFrom} on, or the largest power of two below it that divides heads (${groupedSource})`,
    );
  if (wanted.total !== undefined) {
    const { total } = parametersOf(family, shape);
    const both = `${count(total)} parameters in all, ${(100 * (total / wanted.total - 1)).toFixed(2)} % off ${count(wanted.total)}`;
    chosen("moe.experts", `${both}; expert-parallel ranks get the same number each`);
    chosen(
      "moe.top_k",
      `of ${shape.moe?.experts ?? 0} experts; the family's, or next to it where both counts ask for another`,
    );
  }
  chosen(
    "d_model",
    `${ratio}; a multiple of ${alignment(shape.d_model)} keeps matrix products aligned (NVIDIA, Matrix Multiplication Background User's Guide)${shared}${headsLost}`,
  );
  if (best.tuned !== null) {
    const isShared = valueAt(shape, best.tuned) === best.ruled;
    const why = isShared
      ? `a token passes through as much of ${shape.moe?.top_k ?? 0} experts as of the family's ${usualTop(family, shape.d_model) ?? 0} (Krajewski et al., arXiv 2402.07871)`
      : "moved off the family's rule to meet the count";
    chosen(best.tuned, `${why}: ${missed}`);
  }
  return origins;
}

/** Tensor-parallel ranks that the planner may cut a shape for, of those that a node has. */
function tensorParts(shape: Shape): number {
  return shape.heads === 0 ? 1 : ([8, 4, 2].find((ranks) => indivisible(shape, ranks).length === 0) ?? 1);
}

/** In how many equal parts something comes, of the powers of two that clusters have of. */
function evenParts(value: number): number {
  return value === 0 ? 1 : ([8, 4, 2].find((parts) => value % parts === 0) ?? 1);
}

/** Of a number of layers or heads that comes in fewer parts than those of models like it. */
function givenUp(value: number, parts: number): string {
  return value % parts === 0
    ? ""
    : `; not a multiple of ${parts}, as models of that size have it: given up for a shape nearer to the count and to published ones`;
}

function alignment(value: number): number {
  return [256, 128, 64, 32, 16, 8].find((step) => value % step === 0) ?? 1;
}
