/** Ladders that the sizer was not drawn up with. */
import { type Case, dense, mixture } from "./ladder-cases.ts";

const thin = "deep and thin by intent (MobileLLM, arXiv 2402.14905, section 2.2.2)";

export const unseen: readonly Case[] = [
  ...dense("gpt2", "Cerebras-GPT", { vocab: 50257, context: 2048 }, [
    ["111M", 10, 768, 12, 3072],
    ["256M", 14, 1088, 17, 4352, {}, "flatter than GPT-3's of its size"],
    ["590M", 18, 1536, 12, 6144, {}, "flatter than GPT-3's of its size"],
    ["1.3B", 24, 2048, 16, 8192],
    ["2.7B", 32, 2560, 32, 10240],
    ["6.7B", 32, 4096, 32, 16384],
    ["13B", 40, 5120, 40, 20480],
  ]),
  ...dense("gpt2", "OPT", { vocab: 50272, context: 2050 }, [
    ["125M", 12, 768, 12, 3072],
    ["1.3B", 24, 2048, 32, 8192],
    ["2.7B", 32, 2560, 32, 10240],
    ["6.7B", 32, 4096, 32, 16384],
    ["13B", 40, 5120, 40, 20480],
    ["30B", 48, 7168, 56, 28672],
    ["66B", 64, 9216, 72, 36864],
    ["175B", 96, 12288, 96, 49152],
  ]),
  ...dense("gemma3", "Gemma 3", { vocab: 262144 }, [
    ["270M", 18, 640, 4, 2048, { kv_heads: 1 }],
    ["1B", 26, 1152, 4, 6912, { kv_heads: 1 }],
    ["4B", 34, 2560, 8, 10240, { kv_heads: 4 }],
    ["12B", 48, 3840, 16, 15360, { kv_heads: 8 }],
    ["27B", 62, 5376, 32, 21504, { kv_heads: 16, head_dim: 128 }],
  ]),
  ...dense("llama", "SmolLM2", { vocab: 49152, tied: true }, [
    ["135M", 30, 576, 9, 1536, { kv_heads: 3 }, thin],
    ["360M", 32, 960, 15, 2560, { kv_heads: 5 }, thin],
    ["1.7B", 24, 2048, 32, 8192, {}, "an MLP of four widths, where families with a gate have 8/3"],
  ]),
  ...dense("llama", "MobileLLM", { vocab: 32000, tied: true }, [
    ["125M", 30, 576, 9, 1536, { kv_heads: 3 }, thin],
    ["350M", 32, 960, 15, 2560, { kv_heads: 5 }, thin],
    ["600M", 40, 1152, 18, 3072, { kv_heads: 6 }, thin],
    ["1B", 54, 1280, 20, 3584, { kv_heads: 5 }, thin],
  ]),
  ...dense("llama", "TinyLlama", { vocab: 32000 }, [["1.1B", 22, 2048, 32, 5632, { kv_heads: 4 }]]),
  ...dense("llama", "Yi", { vocab: 64000 }, [
    ["6B", 32, 4096, 32, 11008, { kv_heads: 4 }],
    ["34B", 60, 7168, 56, 20480, { kv_heads: 8 }],
  ]),
  ...dense("llama", "DeepSeek LLM", { vocab: 102400 }, [
    ["7B", 30, 4096, 32, 11008, { kv_heads: 32 }],
    ["67B", 95, 8192, 64, 22016, { kv_heads: 8 }],
  ]),
  ...dense("falcon", "Falcon", { vocab: 65024 }, [
    ["7B", 32, 4544, 71, 18176, { kv_heads: 1 }],
    ["40B", 60, 8192, 128, 32768, { kv_heads: 8 }],
    ["180B", 80, 14848, 232, 59392, { kv_heads: 8 }, "wider than GPT-3 and no deeper than LLaMA 65B"],
  ]),
  ...dense("mpt", "MPT", { vocab: 50432 }, [
    ["7B", 32, 4096, 32, 16384],
    ["30B", 48, 7168, 64, 28672],
  ]),
  mixture("qwen3_moe", "Qwen3-Coder 480B-A35B", { vocab: 151936, kv_heads: 8 }, [62, 6144, 96, 160, 2560, 8]),
  mixture(
    "deepseek_v3",
    "Kimi K2",
    { vocab: 163840, d_ff: 18432, "moe.first_dense": 1 },
    [61, 7168, 64, 384, 2048, 8],
  ),
  mixture("deepseek_v2", "DeepSeek-V2", { vocab: 102400, d_ff: 12288 }, [60, 5120, 128, 160, 1536, 6]),
  mixture(
    "deepseek_v2",
    "DeepSeek-V2-Lite",
    { vocab: 102400, d_ff: 10944, "mla.q_rank": 0 },
    [27, 2048, 16, 64, 1408, 6],
  ),
];
