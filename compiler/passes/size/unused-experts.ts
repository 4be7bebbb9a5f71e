/** Experts that are written of a model none of whose layers has any. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { sizeExpertsUnused } from "../../diagnostics/size.ts";
import type { Family, Shape } from "../../models/family.ts";
import { routedOf } from "../../models/routed.ts";
import type { ModelRequest } from "../../pipeline.ts";

export function unusedExperts(family: Family, request: ModelRequest, shape: Shape): Diagnostic[] {
  const said = [...request.given].find(([name, { origin }]) => name.startsWith("moe.") && origin.kind === "written");
  if (said === undefined || routedOf(family, shape) !== undefined) return [];
  const [property, { span }] = said;
  const letters = family.layers.flatMap(({ place, tensors }) =>
    place.startsWith("letter:") && tensors.some(({ routed }) => routed) ? [place.slice("letter:".length)] : [],
  );
  const why =
    letters.length > 0
      ? `its pattern ${shape.pattern ?? ""} has no layer \`${letters.join("` or `")}\``
      : `of its ${shape.layers} layers the first ${shape.moe?.first_dense ?? 0} are dense, and only every ${shape.moe?.every ?? 1}th of the others has experts`;
  const fix =
    letters.length > 0
      ? `Write a \`pattern\` with \`${letters.join("` or `")}\` for layers with experts, or remove \`moe\`.`
      : "Lower `moe.first_dense` or `moe.every`, or write more layers.";
  return [sizeExpertsUnused(span, { model: request.name, property, why }, { fix })];
}
