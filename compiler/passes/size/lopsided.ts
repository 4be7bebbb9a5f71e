/** Shapes that meet their count and that nobody would build: what was written or bounded leaves nothing better, which is worth a word. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { sizeLopsided } from "../../diagnostics/size.ts";
import type { Draft, Family, Shape } from "../../models/family.ts";
import { publishedHeads } from "../../models/heads.ts";
import { parametersOf } from "../../models/measure.ts";
import type { ModelRequest } from "../../pipeline.ts";
import { complete } from "./complete.ts";
import { count } from "./count.ts";
import { forcedWidths } from "./feed-forward.ts";
import { depthOf } from "./ladder.ts";
import { around } from "./search.ts";
import { uneven } from "./unevenness.ts";

/** Published models of a width differ in depth by a factor of two (96 x 18432 and 126 x 16384, 28 x 3584 and 42 x 3584). */
const farthest = 3;

/** Of Gemma 3 270M, with 262,144 tokens, the tables are 63 % (its model card). */
const mostTables = 0.65;

/** Parameters of Switch-C, the largest model that was published with its shape (Fedus et al. 2021, arXiv 2101.03961, table 9). */
const largest = 1.571e12;

/** The largest model of the next years may be several times that. What is further off is a slip of the scale, as a rule. */
const larger = 5;

/** Two halvings that no ranks share evenly and a width of heads that few publish, or three halvings. */
const unevenly = 0.75;

/** What a file may write that leaves the sizer few shapes. */
const shaping = [
  ...["layers", "d_model", "heads", "head_dim", "kv_heads", "d_ff"],
  ...["moe.experts", "moe.top_k", "moe.d_ff"],
];

const widestHead = Math.max(...publishedHeads);

export function lopsided(family: Family, request: ModelRequest, pins: Draft, shape: Shape): Diagnostic[] {
  const { size, name } = request;
  if (size === null || size.budget?.isShort === true) return [];
  const { layers, d_model } = shape;
  const depth = depthOf(family, d_model).layers;
  const pattern = pins.pattern;
  const isOpen = (pins.layers ?? pattern) === undefined || pins.d_model === undefined;
  const found: { readonly what: string; readonly fix: string }[] = [];
  const asked = size.budget === undefined && size.counted === undefined ? "count" : "budget";
  const held = shaping.filter((property) => request.given.has(property) || request.bounds.has(property));
  const relax =
    held.length === 0
      ? `Change the ${asked}, or write \`layers\` or \`d_model\`.`
      : `Relax ${held.map((property) => `\`${property}\``).join(" or ")}, or change the ${asked}.`;
  const { embedding, total } = parametersOf(family, shape);
  const isTables = embedding > mostTables * total;
  const said = `${layers} layer${layers === 1 ? "" : "s"} of ${d_model}, where published models of that width have about ${Math.max(1, Math.round(depth))}`;
  const isFar = isOpen && Math.abs(Math.log(layers / depth)) > Math.log(farthest);
  // Wide tables leave no width for the layers: that is one matter.
  if (isFar && !isTables)
    found.push({
      what: said,
      fix:
        pattern === undefined
          ? relax
          : `A pattern has a letter for each layer: write \`pattern\` in full, or remove it.`,
    });
  for (const what of forcedWidths(family, pins, shape)) found.push({ what, fix: relax });
  if (pins.head_dim === undefined && shape.head_dim > widestHead)
    found.push({
      what: `heads of ${shape.head_dim}, where the widest published ones have ${widestHead}`,
      fix: "Write more heads, or leave their number to the sizer.",
    });
  if (total > larger * largest)
    found.push({
      what: `${count(total)} of them, where the largest published model has ${count(largest)}`,
      fix: "Write the count in the scale that was meant: `7B params`, `1T params`.",
    });
  if (isTables)
    found.push({
      what: `tables of ${shape.vocab} rows that are ${((100 * embedding) / total).toFixed(0)} % of all parameters${isFar ? `, and ${said}` : ""}`,
      fix: `Use a smaller vocabulary${shape.tied ? "" : ", tie the tables (`tied = true`)"}, or raise the ${asked}.`,
    });
  const cut = found.length > 0 ? null : cutUnevenly(family, pins, shape);
  return [
    ...found.map(({ what, fix }) => sizeLopsided(size.span, { model: name, asked, what }, { fix })),
    ...(cut === null
      ? []
      : [sizeLopsided(size.span, { model: name, asked, what: cut.what }, { fix: cut.fix, severity: "info" })]),
  ];
}

/** A width that was written and comes apart into heads as nobody would have them, where one next to it does not. */
function cutUnevenly(
  family: Family,
  pins: Draft,
  shape: Shape,
): { readonly what: string; readonly fix: string } | null {
  const { layers, d_model, heads, head_dim } = shape;
  const isPublished = family.ladder?.some(([, width]) => width === d_model) === true;
  const isOwn = [pins.heads, pins.head_dim, pins.kv_heads].every((pin) => pin === undefined);
  if (pins.d_model === undefined || !isOwn || heads === 0 || isPublished) return null;
  const step = d_model < 512 ? 64 : d_model < 2048 ? 128 : 256;
  const [other] = [...around(d_model, step)]
    .flatMap((width) => complete(family, { ...pins, layers, d_model: width }, new Map())?.shape ?? [])
    .toSorted(
      (a, b) =>
        uneven.width(family, a) - uneven.width(family, b) ||
        Math.abs(a.d_model - d_model) - Math.abs(b.d_model - d_model),
    );
  if (other === undefined || uneven.width(family, shape) - uneven.width(family, other) < unevenly) return null;
  return {
    what: `a d_model of ${d_model}, which gives ${heads} heads of ${head_dim}, where ${other.d_model} gives ${other.heads} of ${other.head_dim}`,
    fix: `Write \`d_model = ${other.d_model}\`, whose heads can be split evenly over tensor-parallel ranks, or leave it to the sizer.`,
  };
}
