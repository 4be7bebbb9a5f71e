/** Why no shape has what was asked for, in words. */
import type { Draft, Family } from "../../models/family.ts";
import { parametersOf } from "../../models/measure.ts";
import { valueAt } from "../../models/shape.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { boundText } from "./bounds.ts";
import { count } from "./count.ts";
import { searchWithExperts, totalsOf } from "./experts.ts";
import { rangeOf } from "./feed-forward.ts";
import type { Candidate } from "./search.ts";

export function whyMissed(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  wanted: NonNullable<ModelRequest["size"]>,
  closest: Candidate | null,
): string {
  if (wanted.target <= 0) return "a model needs at least one parameter";
  if (wanted.total !== undefined) return ofTwo(family, pins, bounds, { ...wanted, total: wanted.total }, closest);
  if (closest === null) return `the bounds allow no shape at all${withoutOne(family, pins, bounds, wanted)}`;
  const { shape, tuned, ruled, parameters, error } = closest;
  const { layers, d_model } = shape;
  if (tuned !== null && Math.abs(error) <= wanted.within) {
    const inner = Number(valueAt(shape, tuned));
    const times = inner > ruled ? `${ratio(inner / ruled)} times` : `a ${ratio(ruled / inner)}th of`;
    return `layers ${layers} and d_model ${d_model} would need ${tuned} ${inner}, ${times} the family's ${ruled}, but the sizer changes it by at most a third; write ${tuned} to choose that`;
  }
  const { embedding } = parametersOf(family, shape);
  const tables = layers === 1 && pins.d_model === undefined && embedding > parameters / 2;
  const floor = tables ? `; widths are multiples of 8, and tables of ${figure(shape.vocab)} rows grow with them` : "";
  return `closest: ${figure(parameters)} (layers ${layers}, d_model ${d_model}, d_ff ${shape.d_ff})${floor}${withoutOne(family, pins, bounds, wanted)}`;
}

function ofTwo(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  wanted: NonNullable<ModelRequest["size"]> & { readonly total: number },
  closest: Candidate | null,
): string {
  const { target, total, within } = wanted;
  if (target > total) return "`active` is more than `total`";
  if (target === total) return "in a mixture, not all parameters are active for a token";
  const [least, most] = totalsOf(family, pins, bounds, wanted) ?? [];
  if (least !== undefined && most !== undefined && least.shape.moe?.experts !== most.shape.moe?.experts) {
    const of = ({ shape }: Candidate): string =>
      `${count(parametersOf(family, shape).total)} (experts ${shape.moe?.experts ?? 0}, top_k ${shape.moe?.top_k ?? 0})`;
    const [low, high] = [least, most].map(({ shape }) => parametersOf(family, shape).total);
    if (low === high) return `no layer of this ${family.name} has experts, so all parameters are active`;
    if (low !== undefined && total < low * (1 - within))
      return `with ${count(target)} active, the total is at least ${of(least)}`;
    if (high !== undefined && total > high * (1 + within))
      return `with ${count(target)} active, the total is at most ${of(most)}`;
  }
  const forced = closest === null ? searchWithExperts(family, pins, bounds, wanted, true).best : null;
  if (forced !== null) {
    const { layers, d_model, moe } = forced.shape;
    const inner = moe?.d_ff ?? 0;
    return `both counts need experts of ${inner} (layers ${layers}, d_model ${d_model}, experts ${moe?.experts ?? 0}, top_k ${moe?.top_k ?? 0}), which is ${Number((inner / d_model).toPrecision(2))} times d_model, where published ones have ${rangeOf("moe.d_ff")}; write moe.d_ff to choose that`;
  }
  if (closest === null) {
    const { "moe.experts": experts, "moe.top_k": top } = pins;
    const said = top === undefined ? "" : `, of which a token uses ${top},`;
    const what =
      experts === undefined ? "no number of experts gives" : `no depth and width with ${experts} experts${said} give`;
    return `${what} both counts${withoutOne(family, pins, bounds, wanted)}`;
  }
  const { shape, parameters } = closest;
  const off = (got: number, asked: number): string => `${figure(got)} (${(100 * (got / asked - 1)).toFixed(1)} %)`;
  return `closest: ${off(parametersOf(family, shape).total, total)} total, ${off(parameters, target)} active, with layers ${shape.layers}, d_model ${shape.d_model}, experts ${shape.moe?.experts ?? 0} of ${shape.moe?.d_ff ?? 0}, top_k ${shape.moe?.top_k ?? 0}`;
}

/** The bound that alone stands in the way, where there is one. */
function withoutOne(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  wanted: NonNullable<ModelRequest["size"]>,
): string {
  const found = [...bounds].find(([name]) => {
    const others = new Map([...bounds].filter(([other]) => other !== name));
    return searchWithExperts(family, pins, others, wanted).best !== null;
  });
  return found === undefined ? "" : `; without ${found[0]} ${boundText(found[1])} one exists`;
}

const figure = (n: number): string => n.toLocaleString("en");
const ratio = (x: number): string => (x >= 10 ? x.toFixed(0) : x.toFixed(1));
