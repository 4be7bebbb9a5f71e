import type { Condition, Extent, Part, Saved, Tensor } from "../family.ts";

type Kind = "rms" | "layer";

/** The weights of a normalisation: a scale, and for LayerNorm a shift. */
export function normTensors(
  name: string,
  kind: Kind,
  width: Extent = "d_model",
  when?: Condition | readonly Condition[],
  shift: Condition | null = null,
): Tensor[] {
  const conditions = when === undefined ? [] : Array.isArray(when) ? (when as Condition[]) : [when as Condition];
  const tensor = (part: string, extra: readonly Condition[]): Tensor => ({
    name: `${name}.${part}`,
    role: "norm",
    shape: [width],
    ...(conditions.length + extra.length === 0 ? {} : { when: [...conditions, ...extra] }),
  });
  return kind === "rms"
    ? [tensor("weight", [])]
    : [tensor("weight", []), tensor("bias", shift === null ? [] : [shift])];
}

/**
 * A normalisation of the residual stream. RMSNorm runs in fp32 and keeps the stream and what it normalised; LayerNorm is
 * one kernel that keeps its input, the mean and the deviation. Some classes scale before they cast back (`scaled` 4).
 */
export function norm(name: string, kind: Kind, when?: Condition, scaled: "residual" | 4 = "residual"): Part {
  const at = when === undefined ? {} : { when };
  return {
    tensors: normTensors(name, kind, "d_model", when),
    saved:
      kind === "rms"
        ? [
            { name: `${name}: normalised, for its scale`, size: "d_model", width: scaled, ...at },
            { name: `${name}: residual stream`, size: "d_model", width: 4, ...at },
            { name: `${name}: deviation`, size: 1, width: 4, ...at },
          ]
        : [
            { name: `${name}: residual stream`, size: "d_model", width: "residual", ...at },
            { name: `${name}: mean and deviation`, size: 2, width: 4, ...at },
          ],
  };
}

/** What the second norm of a layer keeps: side by side both read one stream, and each widens it for itself where autocast does. */
export const besideOther = (saved: readonly Saved[]): readonly Saved[] =>
  saved.flatMap((one) =>
    one.width === "residual"
      ? [
          { ...one, when: whenAlso(one, "sequential_residual") },
          { ...one, width: "widened" as const, when: whenAlso(one, "parallel_residual") },
        ]
      : [one],
  );

const whenAlso = ({ when }: Saved, condition: Condition): readonly Condition[] =>
  when === undefined ? [condition] : [...(typeof when === "string" ? [when] : when), condition];
