import type { Condition, Extent, Tensor } from "../family.ts";

interface Options {
  /** The side that tensor parallelism splits. */
  readonly split?: "inputs" | "outputs";
  /** When it has a bias; absent: never. */
  readonly bias?: Condition | true;
  readonly when?: Condition;
}

/** A linear layer: its matrix, and its bias where there is one. */
export function linear(name: string, inputs: Extent, outputs: Extent, options: Options = {}): Tensor[] {
  const { split, bias, when } = options;
  const matrix: Tensor = {
    name: `${name}.weight`,
    role: "matrix",
    shape: [inputs, outputs],
    ...(split === undefined ? {} : { split: split === "inputs" ? ["tensor", null] : [null, "tensor"] }),
    ...(when === undefined ? {} : { when }),
  };
  if (bias === undefined) return [matrix];
  const conditions = [...(when === undefined ? [] : [when]), ...(bias === true ? [] : [bias])];
  return [
    matrix,
    {
      name: `${name}.bias`,
      role: "bias",
      shape: [outputs],
      ...(split === "outputs" ? { split: ["tensor"] as const } : {}),
      ...(conditions.length === 0 ? {} : { when: conditions }),
    },
  ];
}
