import type { Format, Machine } from "./machine.ts";

/** Output tile of the kernels that large products run; those for few rows have lower ones, down to an instruction's 16. */
const tile = { rows: 128, columns: 128, least: 16 };

/** Bytes of an operand's element; sixteen values in four bits share a scale of eight (NVFP4). What comes out is wide again. */
const operand: Readonly<Record<Format, number>> = { fp32: 4, bf16: 2, fp16: 2, fp8: 1, fp4: 0.5 + 1 / 16 };

/**
 * Share of its speed that a product keeps by how even its widths are. Tensor cores take whole lines of 128 bytes best and rows that do not
 * begin on 16 bytes badly (NVIDIA, "Matrix Multiplication Background User's Guide", tensor core requirements). Measured where all else was alike: 14,400
 * instead of 13,824 wide on 8 tensor ranks takes 1.4 times as long for each FLOP (BigScience, tr11-176B chronicles).
 */
export function alignmentOf(width: number): number {
  if (width % 64 === 0) return 1;
  return width % 8 === 0 ? 0.7 : 0.5;
}

/**
 * Seconds of `rows x inputs` by `inputs x outputs`. Tiles fill the processors in waves and the last wave is not full
 * (NVIDIA, "Matrix Multiplication Background User's Guide", tile and wave quantisation); operands and result pass
 * memory; a kernel takes `floor` to fill and drain.
 */
export function productSeconds(
  rows: number,
  inputs: number,
  outputs: number,
  format: Format,
  machine: Machine,
  constants: { readonly products: number; readonly floor: number; readonly memory: number },
): number {
  const high = rows >= tile.rows ? tile.rows : Math.max(tile.least, 2 ** Math.ceil(Math.log2(rows)));
  const tiles = Math.ceil(rows / high) * Math.ceil(outputs / tile.columns);
  const waves = Math.ceil(tiles / machine.processors);
  const full = waves * machine.processors * high * tile.columns;
  const peak = machine.flops[format];
  const even = Math.min(alignmentOf(inputs), alignmentOf(outputs));
  const compute = (2 * full * inputs) / (peak * constants.products * even);
  const read = operand[format] * (rows * inputs + inputs * outputs);
  const written = (format === "fp32" ? 4 : 2) * rows * outputs;
  const traffic = (read + written) / (constants.memory * machine.bandwidth);
  return Math.max(compute, traffic) + constants.floor;
}
