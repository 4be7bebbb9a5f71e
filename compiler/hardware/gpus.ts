import type { Device } from "../pipeline.ts";

const GiB = 2 ** 30;
const T = 1e12;

/** A device, and where its figures are published. */
export interface KnownDevice extends Device {
  readonly source: string;
  /** Streaming multiprocessors (compute units): the same sheets and white papers. */
  readonly processors?: number;
}

const gpu = (
  name: string,
  memoryGiB: number,
  flops: Device["flops"],
  bandwidthGBs: number,
  processors: number,
  power: number,
  source: string,
): KnownDevice => ({
  name,
  kind: "gpu",
  memory: memoryGiB * GiB,
  flops,
  bandwidth: bandwidthGBs * 1e9,
  processors,
  power,
  source,
});

/**
 * Vendors' dense peaks (no sparsity), in FLOP/s; `fp32` is what the vendor gives for TF32-free FP32. 0 in `bf16` says
 * that the device has no matrix units for it. Memory is what the driver shows, which for most cards is the nominal
 * number taken as GiB. Power is the most that the same sheets allow a card, in watts.
 */
export const gpus: readonly KnownDevice[] = [
  gpu(
    "a100_40gb",
    40,
    { fp32: 19.5 * T, bf16: 312 * T, fp16: 312 * T },
    1555,
    108,
    400,
    "NVIDIA A100 datasheet, 2021: SXM4 40 GB",
  ),
  gpu(
    "a100_80gb",
    80,
    { fp32: 19.5 * T, bf16: 312 * T, fp16: 312 * T },
    2039,
    108,
    400,
    "NVIDIA A100 datasheet, 2021: SXM4 80 GB",
  ),
  gpu(
    "h100_sxm",
    80,
    { fp32: 67 * T, bf16: 989.4 * T, fp16: 989.4 * T, fp8: 1978.9 * T },
    3350,
    132,
    700,
    "NVIDIA H100 datasheet, 2023: SXM5",
  ),
  gpu(
    "h100_pcie",
    80,
    { fp32: 51 * T, bf16: 756 * T, fp16: 756 * T, fp8: 1513 * T },
    2000,
    114,
    350,
    "NVIDIA H100 datasheet, 2022: PCIe",
  ),
  gpu(
    "h200",
    140,
    { fp32: 67 * T, bf16: 989.4 * T, fp16: 989.4 * T, fp8: 1978.9 * T },
    4800,
    132,
    700,
    "NVIDIA H200 datasheet, 2023: SXM, 141 GB; memory as the driver shows it",
  ),
  gpu(
    "b200",
    179,
    { fp32: 75 * T, bf16: 2250 * T, fp16: 2250 * T, fp8: 4500 * T, fp4: 9000 * T },
    7700,
    148,
    1000,
    "NVIDIA DGX B200 datasheet, 2024: 1,440 GB and 72 and 144 PFLOPS sparse FP8 and FP4 in eight GPUs",
  ),
  gpu(
    "gb200",
    185,
    { fp32: 80 * T, bf16: 2500 * T, fp16: 2500 * T, fp8: 5000 * T, fp4: 10000 * T },
    8000,
    148,
    1200,
    "NVIDIA GB200 NVL72 datasheet, 2024: 13.4 TB and 720 and 1,440 PFLOPS sparse FP8 and FP4 in 72 GPUs",
  ),
  gpu(
    "mi300x",
    192,
    { fp32: 163.4 * T, bf16: 1307.4 * T, fp16: 1307.4 * T, fp8: 2614.9 * T },
    5300,
    304,
    750,
    "AMD Instinct MI300X data sheet, 2023",
  ),
  gpu(
    "l40s",
    48,
    { fp32: 91.6 * T, bf16: 362 * T, fp16: 362 * T, fp8: 733 * T },
    864,
    142,
    350,
    "NVIDIA L40S datasheet, 2023 (bf16 without sparsity)",
  ),
  gpu(
    "rtx_4090",
    24,
    { fp32: 82.6 * T, bf16: 165.2 * T, fp16: 165.2 * T, fp8: 330.3 * T },
    1008,
    128,
    450,
    "NVIDIA Ada GPU architecture white paper, appendix A (fp32 accumulation)",
  ),
  gpu(
    "rtx_3090",
    24,
    { fp32: 35.6 * T, bf16: 71 * T, fp16: 71 * T },
    936,
    82,
    350,
    "NVIDIA Ampere GA102 white paper, appendix A (fp32 accumulation)",
  ),
  gpu(
    "rtx_3080",
    10,
    { fp32: 29.8 * T, bf16: 59.5 * T, fp16: 59.5 * T },
    760,
    68,
    320,
    "NVIDIA Ampere GA102 white paper, appendix A: 10 GB (fp32 accumulation)",
  ),
  gpu(
    "l4",
    24,
    { fp32: 30.3 * T, bf16: 121 * T, fp16: 121 * T, fp8: 242.5 * T },
    300,
    58,
    72,
    "NVIDIA L4 datasheet, 2023 (without sparsity)",
  ),
  gpu(
    "a6000",
    48,
    { fp32: 38.7 * T, bf16: 154.8 * T, fp16: 154.8 * T },
    768,
    84,
    300,
    "NVIDIA RTX A6000 datasheet, 2020; Ampere GA102 white paper, appendix A",
  ),
  gpu("t4", 16, { fp32: 8.1 * T, bf16: 0, fp16: 65 * T }, 320, 40, 70, "NVIDIA T4 datasheet, 2018: no bf16"),
  gpu(
    "v100_16gb",
    16,
    { fp32: 15.7 * T, bf16: 0, fp16: 125 * T },
    900,
    80,
    300,
    "NVIDIA V100 datasheet, 2020: SXM2, no bf16",
  ),
  gpu(
    "v100_32gb",
    32,
    { fp32: 15.7 * T, bf16: 0, fp16: 125 * T },
    900,
    80,
    300,
    "NVIDIA V100 datasheet, 2020: SXM2, no bf16",
  ),
];
