/** What makes a complete shape impossible to build, or unlike all that were built. */
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { sizeDivisibility, sizeExperts, sizePattern, sizeRotary, sizeVocabulary } from "../../diagnostics/size.ts";
import type { Family, Shape } from "../../models/family.ts";
import { isShare, splitsWidth } from "../../models/heads.ts";
import type { ModelRequest } from "../../pipeline.ts";
import { divisors } from "../../planner/divisors.ts";
import { writtenWidth } from "./feed-forward.ts";

/** Quick form of `violations` for the sizer, which tries thousands of shapes. */
export function buildable(family: Family, shape: Shape): boolean {
  const rotary = shape.head_dim * shape.rotary_fraction;
  if (!wholeEverywhere(shape)) return false;
  if (shape.heads === 0) return true;
  return (
    (!splitsWidth(family, shape) || shape.d_model % shape.heads === 0) &&
    shape.heads % shape.kv_heads === 0 &&
    Number.isInteger(shape.head_dim) &&
    Number.isInteger(shape.d_ff) &&
    (shape.positions !== "rope" || (Math.floor(rotary) % 2 === 0 && rotary >= 2))
  );
}

/** Widths that follow from others come out whole. */
function wholeEverywhere({ d_model, ssm, rwkv, moe }: Shape): boolean {
  const inner = ssm === undefined ? 0 : ssm.expand * d_model;
  return (
    Number.isInteger(inner) &&
    Number.isInteger(ssm?.heads ?? 0) &&
    (ssm?.heads ?? 0) % (ssm?.groups ?? 1) === 0 &&
    (rwkv === undefined || d_model % rwkv.head_dim === 0) &&
    Number.isInteger(moe?.d_ff ?? 0)
  );
}

/** Every violation, on the property that was written, and a warning where nothing like it was published. */
export function violations(family: Family, request: ModelRequest, shape: Shape): Diagnostic[] {
  const found: Diagnostic[] = [];
  const where = (...properties: readonly string[]) =>
    properties.map((p) => request.given.get(p)?.span).find((span) => span !== undefined) ?? request.span;
  const related = (part: string, whole: string) => {
    const other = request.given.get(part) === undefined ? undefined : request.given.get(whole);
    return other === undefined ? [] : [{ message: `${whole} is given here`, span: other.span }];
  };
  const replacement = (property: string, value: number | undefined): Fix[] => {
    const given = request.given.get(property);
    return given === undefined || value === undefined || given.origin.kind !== "written"
      ? []
      : [{ title: `use ${property} = ${value}`, edits: [{ span: given.span, newText: String(value) }] }];
  };
  const split = (
    part: string,
    partValue: number,
    whole: "d_model" | "heads",
    why: string,
    fix: { readonly fix?: string } = {},
  ): void => {
    if (partValue === 0 || shape[whole] % partValue === 0) return;
    const valid = divisors(shape[whole]);
    found.push(
      sizeDivisibility(
        where(part, whole),
        { part, partValue, whole, wholeValue: shape[whole], why },
        {
          valid: valid.map(String),
          related: related(part, whole),
          fixes: replacement(part, closest(valid, partValue)),
          ...fix,
        },
      ),
    );
  };
  if (request.layerRules === undefined) found.push(...unknownLetters(family, shape.pattern ?? "", where("pattern")));
  const isSplit = splitsWidth(family, shape);
  if (isSplit) {
    const why =
      family.evenHeads === true && Number.isInteger(shape.head_dim)
        ? `${family.class} requires it, whatever head_dim is`
        : "attention splits the width evenly";
    const isOpen = family.evenHeads !== true && !isShare(family);
    const fix = isOpen ? { fix: "Write one of the values that `valid` lists, or a `head_dim`." } : {};
    split("heads", shape.heads, "d_model", why, fix);
  }
  split("kv_heads", shape.kv_heads, "heads", "each key-value head serves the same number of query heads");
  split("rwkv.head_dim", shape.rwkv?.head_dim ?? 0, "d_model", "every head has a state of its own");
  const rotary = Math.floor(shape.head_dim * shape.rotary_fraction);
  if (
    shape.heads > 0 &&
    shape.positions === "rope" &&
    (!isSplit || shape.d_model % shape.heads === 0) &&
    (rotary % 2 !== 0 || rotary < 2)
  ) {
    const slots = { dimensions: rotary, fraction: shape.rotary_fraction, headDim: shape.head_dim };
    found.push(sizeRotary(where("rotary_fraction", "head_dim", "heads", "d_model"), slots));
  }
  const { moe } = shape;
  if (moe !== undefined && moe.top_k > moe.experts) {
    const slots = { topK: moe.top_k, experts: moe.experts };
    const details = { related: related("moe.top_k", "moe.experts"), fixes: replacement("moe.top_k", moe.experts) };
    found.push(sizeExperts(where("moe.top_k", "moe.experts"), slots, { ...details, valid: [`<= ${moe.experts}`] }));
  }
  const rows = request.tokenizerVocab;
  if (rows !== null && shape.vocab < rows.value) {
    found.push(
      sizeVocabulary(
        where("vocab"),
        { vocab: shape.vocab, tokenizer: rows.value },
        {
          valid: [`>= ${rows.value}`],
          related: [{ message: "the tokenizer is given here", span: rows.span }],
          fixes: replacement("vocab", rows.value),
        },
      ),
    );
  }
  return [...found, ...writtenWidth(family, request, shape)];
}

/** Letters that stand for none of the family's kinds of layers. */
export function unknownLetters(family: Family, pattern: string, span: Span): Diagnostic[] {
  const letters = new Set(
    family.layers.flatMap(({ place }) => (place.startsWith("letter:") ? [place.slice("letter:".length)] : [])),
  );
  const unknown = [...new Set(pattern)].filter((one) => !letters.has(one));
  const slots = { family: family.name, unknown: unknown.join(" "), letters: [...letters].join(" ") };
  return unknown.length === 0 ? [] : [sizePattern(span, slots, { valid: [...letters] })];
}

function closest(values: readonly number[], to: number): number | undefined {
  return values.reduce<number | undefined>(
    (best, value) => (best === undefined || Math.abs(value - to) < Math.abs(best - to) ? value : best),
    undefined,
  );
}
