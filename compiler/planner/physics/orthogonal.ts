/** What Newton-Schulz steps cost, with which Muon makes the momentum of each matrix orthogonal. */
import type { Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import type { Machine } from "./machine.ts";
import { matricesOf, type Matrix } from "./matrices.ts";
import { tunedOf } from "./parameters.ts";
import { productSeconds } from "./product.ts";
import type { Block, Shape } from "./shape.ts";

/** Seconds for all matrices that a rank holds of a block, and for the one that takes longest. */
export interface OrthogonalTime {
  readonly dense: number;
  readonly expert: number;
  readonly longest: number;
}

/** A step on `X` is `A = X X'`, `A A` and `(b A + c A A) X`, of the shorter side (Jordan et al. 2024, "Muon"; arXiv 2502.16982, section 2.1). */
export function orthogonalFlops(rows: number, columns: number): number {
  const [short, long] = rows < columns ? [rows, columns] : [columns, rows];
  return 4 * short * short * long + 2 * short ** 3;
}

const none: OrthogonalTime = { dense: 0, expert: 0, longest: 0 };

export function orthogonalSeconds(
  shape: Shape,
  block: Block,
  layout: Layout,
  engine: Engine,
  machine: Machine,
  constants: Parameters<typeof productSeconds>[5],
): OrthogonalTime {
  const { orthogonalised: steps = 0, blockwise = true } = engine;
  if (steps === 0) return none;
  const of = (rows: number, columns: number): number => {
    const [short, long] = rows < columns ? [rows, columns] : [columns, rows];
    const product = (inputs: number, outputs: number): number =>
      productSeconds(short, inputs, outputs, "bf16", machine, constants);
    return steps * (product(long, short) + product(short, short) + product(short, long));
  };
  let [dense, expert, longest] = [0, 0, 0];
  for (const { inputs, outputs, split, of: routed, fused = [outputs] } of trainedMatrices(shape, block, engine)) {
    const ranks = blockwise ? (routed === undefined ? layout.tensor : layout.expert_tensor) : 1;
    for (const each of fused) {
      const one = of(split === "inputs" ? inputs / ranks : inputs, split === "outputs" ? each / ranks : each);
      longest = Math.max(longest, one);
      if (routed === undefined) dense += one;
      else expert += (routed.experts / layout.expert) * one;
    }
  }
  return { dense, expert, longest };
}

function trainedMatrices(shape: Shape, block: Block, { modules }: Engine): readonly Matrix[] {
  const tuned = tunedOf(shape, block);
  if (tuned === undefined)
    return modules === true && block.stated !== undefined ? block.stated.module.matrices : matricesOf(shape, block);
  const { rank, matrices } = tuned;
  if (rank === 0) return [];
  return matrices.flatMap((matrix) => [
    { ...matrix, outputs: rank, split: matrix.split === "inputs" ? ("inputs" as const) : ("none" as const) },
    { ...matrix, inputs: rank, split: matrix.split === "outputs" ? ("outputs" as const) : ("none" as const) },
  ]);
}
