import type { Condition, Extent, Part, Saved } from "../family.ts";
import { linear } from "./linear.ts";

/**
 * What the activation keeps: its input, where the derivative needs it, and its output, which the next matrix needs.
 * ReLU's derivative needs only the output; `relu2` squares it, which keeps the ReLU's output and the square.
 */
export function activationSaved(width: Extent = "d_ff"): Saved[] {
  return [
    { name: "activation input", size: width, width: "compute", when: "activation:gelu" },
    { name: "activation input", size: width, width: "compute", when: "activation:gelu_tanh" },
    { name: "activation input", size: width, width: "compute", when: "activation:silu" },
    { name: "ReLU before the square", size: width, width: "compute", when: "activation:relu2" },
    { name: "what the square reads", size: width, width: "promoted", when: "activation:relu2" },
    { name: "activation output", size: width, width: "compute" },
  ];
}

interface Options {
  readonly at?: string;
  /** Names of the two matrices. */
  readonly names?: readonly [string, string];
  readonly bias?: Condition | true;
  readonly width?: Extent;
  /** It reads what attention reads, so that only autocast copies it. */
  readonly beside?: true;
}

/** A feed-forward part of two matrices. */
export function mlp({
  at = "mlp",
  names = ["up_proj", "down_proj"],
  bias,
  width = "d_ff",
  beside,
}: Options = {}): Part {
  const option = bias === undefined ? {} : { bias };
  return {
    tensors: [
      ...linear(`${at}.${names[0]}`, "d_model", width, { split: "outputs", ...option }),
      ...linear(`${at}.${names[1]}`, width, "d_model", { split: "inputs", ...option }),
    ],
    saved: [
      { name: "input of the MLP", size: "d_model", width: beside === true ? "cast" : "compute" },
      ...activationSaved(width),
    ],
  };
}

/** A feed-forward part with a gate: SwiGLU (Shazeer, arXiv 2002.05202) and kin. */
export function gatedMlp({ at = "mlp", bias, width = "d_ff" }: Omit<Options, "names" | "beside"> = {}): Part {
  const option = bias === undefined ? {} : { bias };
  return {
    tensors: [
      ...linear(`${at}.gate_proj`, "d_model", width, { split: "outputs", ...option }),
      ...linear(`${at}.up_proj`, "d_model", width, { split: "outputs", ...option }),
      ...linear(`${at}.down_proj`, width, "d_model", { split: "inputs", ...option }),
    ],
    saved: [
      { name: "input of the MLP", size: "d_model", width: "compute" },
      { name: "a copy that autocast makes for the gate", size: "d_model", width: "cast" },
      { name: "up", size: width, width: "compute" },
      { name: "gated product", size: width, width: "compute" },
      ...activationSaved(width),
    ],
  };
}
