/** Shapes that meet their count and that nobody would build: what was written or bounded leaves nothing better, which is worth a word. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { sizeLopsided } from "../../diagnostics/size.ts";
import type { Draft, Family, Shape } from "../../models/family.ts";
import { publishedHeads } from "../../models/heads.ts";
import { parametersOf } from "../../models/measure.ts";
import type { ModelRequest } from "../../pipeline.ts";
import { forcedWidths } from "./feed-forward.ts";
import { depthOf } from "./ladder.ts";

/** Published models of a width differ in depth by a factor of two (96 x 18432 and 126 x 16384, 28 x 3584 and 42 x 3584). */
const farthest = 3;

/** Of Gemma 3 270M, with 262,144 tokens, the tables are 63 % (its model card). */
const mostTables = 0.75;

const widestHead = Math.max(...publishedHeads);

export function lopsided(family: Family, request: ModelRequest, pins: Draft, shape: Shape): Diagnostic[] {
  const { size, name } = request;
  if (size === null) return [];
  const { layers, d_model } = shape;
  const depth = depthOf(family, d_model).layers;
  const pattern = pins.pattern;
  const isOpen = (pins.layers ?? pattern) === undefined || pins.d_model === undefined;
  const found: { readonly what: string; readonly fix: string }[] = [];
  if (isOpen && Math.abs(Math.log(layers / depth)) > Math.log(farthest))
    found.push({
      what: `${layers} layer${layers === 1 ? "" : "s"} of ${d_model}, where published models of that width have about ${Math.round(depth)}`,
      fix:
        pattern === undefined
          ? "Take back the bound or the value that holds depth or width, or ask for another count."
          : `A pattern has a letter for each layer: write \`pattern\` in full, or leave it out.`,
    });
  for (const what of forcedWidths(family, pins, shape))
    found.push({
      what,
      fix: "Take back the bound or the value that holds depth, width or the feed-forward part, or ask for another count.",
    });
  if (pins.head_dim === undefined && shape.head_dim > widestHead)
    found.push({
      what: `heads of ${shape.head_dim}, where the widest that were published have ${widestHead}`,
      fix: "Ask for more heads, or leave their number to the sizer.",
    });
  const { embedding, total } = parametersOf(family, shape);
  if (embedding > mostTables * total)
    found.push({
      what: `tables of ${shape.vocab} tokens that are ${((100 * embedding) / total).toFixed(0)} % of all parameters`,
      fix: `Take a smaller vocabulary${shape.tied ? "" : ", tie the tables (`tied = true`)"}, or ask for a larger count.`,
    });
  return found.map(({ what, fix }) => sizeLopsided(size.span, { model: name, what }, { fix }));
}
