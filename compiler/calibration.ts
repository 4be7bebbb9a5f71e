/**
 * What was measured of a cluster, in base units; rates are those of one device, on a CPU of one core. `cdrc calibrate`
 * writes it into a `calibration` block, and the planner takes it in the place of its own constants.
 */
export interface Calibration {
  /** FLOP/s of large products. */
  readonly fp32: number;
  readonly bf16: number;
  /** FLOP/s of the attention core, by the convention that counts the unmasked half. */
  readonly attention: number;
  /** Bytes kept for the backward pass that the kernels around the products get through in a second. */
  readonly kernels: number;
  /** Parameters that the optimizer updates in a second. */
  readonly optimizer: number;
  /** Seconds in which the host starts one layer's work, forward and backward. */
  readonly layer: number;
  /** Seconds more that a layer takes where several cores share its kernels: each begins and ends together. */
  readonly fork: number;
  /** Seconds of a step that nothing else explains. */
  readonly step: number;
  /** Bytes/s that a rank moves in a long collective, and seconds that each of its steps takes at least. */
  readonly link: number;
  readonly latency: number;
  /** Bytes of a training process before its model, and the share that its heap holds over what is allocated. */
  readonly resident: number;
  readonly heap: number;
  /** Half-widths of the 80 % intervals; `null`: nothing says how good the figures are. */
  readonly time_error: number | null;
  readonly memory_error: number | null;
}
