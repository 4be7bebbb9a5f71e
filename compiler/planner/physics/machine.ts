/** A cluster's figures, by data sheets: bytes, bytes/s of one GPU in one direction, FLOP/s without sparsity. */
export type Format = "fp32" | "bf16" | "fp16" | "fp8" | "fp4";

export interface Machine {
  readonly gpu: string;
  readonly memory: number;
  readonly bandwidth: number;
  readonly flops: Readonly<Record<Format, number>>;
  /** Streaming multiprocessors: output tiles that run at once. */
  readonly processors: number;
  /** GPUs that reach each other over the fast link. */
  readonly domain: number;
  readonly link: number;
  readonly network: number;
}
