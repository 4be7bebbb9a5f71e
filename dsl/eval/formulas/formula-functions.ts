/** Functions that a formula may call on what is known only later, and what they give. */
import { isDimensionless, sameDimension } from "../../types/units.ts";
import type { Shape } from "./shape.ts";

type Give = (of: readonly Shape[]) => Shape | null;

/** Numbers of one dimension give one of it. */
const alike: Give = (of) => {
  const [first] = of;
  if (first?.kind !== "number") return first?.kind === "any" ? first : null;
  const common = first.dimensions.filter((d) =>
    of.every((s) => s.kind === "any" || (s.kind === "number" && s.dimensions.some((e) => sameDimension(d, e)))),
  );
  return common.length === 0 ? null : { kind: "number", dimensions: common };
};

const one: Give = (of) => (of.length === 1 ? alike(of) : null);

const plain: Give = (of) =>
  of.every((s) => s.kind === "any" || (s.kind === "number" && s.dimensions.some(isDimensionless)))
    ? { kind: "number", dimensions: [{}] }
    : null;

const single: Give = (of) => (of.length === 1 ? plain(of) : null);

export const functionsOfFormulas: Readonly<Record<string, Give>> = {
  min: alike,
  max: alike,
  sum: alike,
  abs: one,
  round: one,
  floor: one,
  ceil: one,
  sqrt: single,
  log2: single,
  log: single,
  exp: single,
  pow: (of) => (of.length === 2 ? plain(of) : null),
};
