/** Diagnostics about arithmetic and kernels that a stage does without. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const precisionSlow = define<{ device: string; times: number }>({
  code: "cdr/precision-slow",
  severity: "info",
  message: ({ device, times }) =>
    `precision is fp32 because ${device} has no bf16; its peak in fp16 is ${times} times as high`,
  explanation: `A GPU older than Ampere has matrix units only for fp16. Its range is narrow: the loss must be scaled, and a model that was trained in
bf16 may overflow. So fp16 is never chosen by default, although it also halves the memory of kept activations.`,
  fix: "Write `precision = fp16` for speed, or `precision = fp32` to keep the range.",
});

export const attentionFlash = define<{ why: string }>({
  code: "cdr/stage-attention",
  severity: "error",
  message: ({ why }) => `\`attention = flash\` needs bf16 or fp16 on an Ampere or later GPU, but ${why}`,
  explanation: `FlashAttention has kernels only for 16-bit values, on NVIDIA's Ampere (A100) and later or AMD's Instinct. Otherwise the
program stops at its first step. PyTorch's own \`sdpa\` runs everywhere, and uses the same kernels where possible.`,
  fix: "Write `attention = sdpa`, or train in bf16 on an Ampere or later GPU.",
});

export const attentionHeads = define<{ engine: string; why: string }>({
  code: "cdr/attention-heads",
  severity: "error",
  message: ({ engine, why }) => `${engine} has no FlashAttention for this stage: ${why}`,
  explanation: `FlashAttention's kernels support heads up to 256 wide; Transformer Engine uses them only for multiples of 8, in 16 bits, on Ampere
or later. Some classes of transformers do not support them at all. With \`attention = flash\`, the program then stops at its first step.`,
  fix: "Change the width of the heads, or write `attention = sdpa`.",
});

export const attentionUnfused = define<{ engine: string; why: string }>({
  code: "cdr/attention-unfused",
  severity: "info",
  message: ({ engine, why }) =>
    `${engine} has no fused attention for this stage: ${why}. The plan counts the attention scores in memory`,
  explanation: `Fused attention does not store scores. Its kernels support certain widths of heads: under Megatron multiples of 8 up to 256; under
the other engines any up to 256, and wider ones that are multiples of 8. Some classes of transformers cannot use PyTorch's kernel, because they cap the scores
or shift them by position. Otherwise attention runs as two plain products with a softmax between them: each layer
stores a score for each pair of tokens and each head, with memory and time that grow with the square of the context.`,
  fix: "Use heads of 64 or 128, or allow for the memory and the time.",
});

export const scanUnfused = define<{ engine: string; kind: string; walks: boolean }>({
  code: "cdr/scan-unfused",
  severity: "info",
  message: ({ engine, kind, walks }) =>
    `${engine} has no kernel for the recurrence of ${kind} (no mamba-ssm, no causal-conv1d): the plan counts ` +
    (walks
      ? "the states of every token in memory, and time that grows with the square of the sequence"
      : "PyTorch's own operations, several times a kernel's memory and time"),
  explanation: `The kernels of mamba-ssm recompute the states of a recurrence in the backward pass and keep almost nothing. Without them transformers
computes it in PyTorch's own operations: Mamba walks through the positions one by one and keeps the state of each, Mamba-2 computes chunks of 128 or 256
positions and keeps scores within them for each head. The locked environment of the training program has neither package, because both are
compiled for one release of CUDA and PyTorch. Megatron requires them and is planned with its kernels.`,
  fix: "Use `engine = megatron`, which has its own kernels for Mamba-2, recompute the layers (`layout { recompute = full }`), or allow for the memory and the time.",
});

export const tableUneven = define<{ engine: string; vocab: number; even: number; share: string }>({
  code: "cdr/table-uneven",
  severity: "info",
  message: ({ engine, vocab, even, share }) =>
    `${engine} does not pad a vocabulary of ${vocab}, and tensor cores multiply uneven tables slowly: with \`vocab = ${even}\` a step would take about ${share} less time`,
  explanation: `Tensor cores take matrices whose sides are multiples of 64 at full speed, multiples of 8 more slowly and odd ones at about half. The
head has a column for each token, so the plan counts an uneven one as slower. Megatron pads its tables to a multiple of 128 rows for each tensor-parallel rank; torch and DeepSpeed train them as they
are.`,
  fix: "Write the number that the message names as `vocab` of the model; the ids above the tokenizer's never occur.",
});
