/** Why no shape has what was asked for, in words. */
import type { Draft, Family } from "../../models/family.ts";
import { parametersOf } from "../../models/measure.ts";
import { valueAt } from "../../models/shape.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { count } from "./count.ts";
import { totalsOf } from "./experts.ts";
import type { Candidate } from "./search.ts";

export function whyMissed(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  wanted: NonNullable<ModelRequest["size"]>,
  closest: Candidate | null,
): string {
  if (wanted.target <= 0) return "a model has more than 0";
  if (wanted.total !== undefined) return ofTwo(family, pins, bounds, { ...wanted, total: wanted.total }, closest);
  if (closest === null) return "the bounds admit none at all";
  const { shape, tuned, ruled, parameters, error } = closest;
  const { layers, d_model } = shape;
  if (tuned !== null && Math.abs(error) <= wanted.within) {
    const inner = Number(valueAt(shape, tuned));
    const times = inner > ruled ? `${ratio(inner / ruled)} times` : `a ${ratio(ruled / inner)}th of`;
    return `layers ${layers} and d_model ${d_model} would need ${tuned} ${inner}, ${times} the family's ${ruled}, and the sizer moves it by a third at most; write ${tuned} to have that`;
  }
  return `closest: ${figure(parameters)} (layers ${layers}, d_model ${d_model}, d_ff ${shape.d_ff})`;
}

function ofTwo(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  wanted: NonNullable<ModelRequest["size"]> & { readonly total: number },
  closest: Candidate | null,
): string {
  const { target, total, within } = wanted;
  if (target > total) return "more are active than there are in all";
  if (target === total) return "in a mixture, not all are active at a token";
  const [least, most] = totalsOf(family, pins, bounds, wanted) ?? [];
  if (least !== undefined && most !== undefined) {
    const of = ({ shape }: Candidate): string =>
      `${count(parametersOf(family, shape).total)} (experts ${shape.moe?.experts ?? 0}, top_k ${shape.moe?.top_k ?? 0})`;
    const [low, high] = [least, most].map(({ shape }) => parametersOf(family, shape).total);
    if (low === high) return `no layer of this ${family.name} has experts, so all parameters are active`;
    if (low !== undefined && total < low * (1 - within))
      return `with ${count(target)} active there are at least ${of(least)}`;
    if (high !== undefined && total > high * (1 + within))
      return `with ${count(target)} active there are at most ${of(most)}`;
  }
  if (closest === null) return "no number of experts makes up both";
  const { shape, parameters } = closest;
  const off = (got: number, asked: number): string => `${figure(got)} (${(100 * (got / asked - 1)).toFixed(1)} %)`;
  return `closest: ${off(parametersOf(family, shape).total, total)} total, ${off(parameters, target)} active, with layers ${shape.layers}, d_model ${shape.d_model}, experts ${shape.moe?.experts ?? 0} of ${shape.moe?.d_ff ?? 0}, top_k ${shape.moe?.top_k ?? 0}`;
}

const figure = (n: number): string => n.toLocaleString("en");
const ratio = (x: number): string => (x >= 10 ? x.toFixed(0) : x.toFixed(1));
