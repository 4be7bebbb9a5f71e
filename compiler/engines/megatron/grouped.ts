import type { Device } from "../../pipeline.ts";

/**
 * One product for all experts of a rank, where there are kernels for it: from Ampere on, as bf16 (Megatron-Core,
 * transformer/moe/README.md: grouped GEMM). Elsewhere experts run one after the other.
 */
export const groupsExperts = ({ flops }: Device): boolean => flops.bf16 > 0;
