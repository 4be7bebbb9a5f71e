import type { Engine } from "../engine.ts";

/**
 * bf16 weights, gradients accumulated in fp32 beside those that each backward pass writes (optim/gradient_accumulator.py), fp32 masters and two
 * moments; without shards DistributedDataParallel's buckets as well. With them, new weights are gathered into a buffer that is copied rank by rank and from there to
 * the parameters (distributed.py: all_gather_coalesced). What is logged is what the allocator reserved: peaks of what it allocated are reset before the
 * step (logging.py: log_memory). Blocks are dealt to stages by their work (models/base.py, build_model). A layer
 * keeps the inputs and outputs of its norms, of queries, keys and values a contiguous copy of all and another of keys and values, the core's output, and of
 * the feed-forward layer gate, up, their activation and product (models/llama.py). Tensor ranks gather into two buffers that all layers share (MemoryBuffer)
 * and write each sum whole before they scatter it (tensor_parallel/functional.py). The loss has logits in 16 bits and up to three copies in 32; peaks say 13
 * bytes. A stage that stalls sleeps a tenth of a second for each of the two headers of a message, and there is a message each way (p2p.py of the branch
 * `nouamane/bench2`); each of these four waits ends in the middle of another sleep. Of launches a device takes 1,024, which are those of 25 layers. Its 1F1B
 * asserts as many micro-batches as stages less one (pipeline_parallel/engine.py).
 */
export const nanotron: Engine = {
  name: "nanotron",
  states: { weights: 2, gradients: 4, transient: 2, hooked: 2, optimizer: 12, step: 0 },
  kept: { stream: 4, whole: 2, shared: 6, qkv: 10 / 3, core: 2, plain: 4, gated: 8, scores: 5 },
  materialised: false,
  logits: 13,
  partition: "work",
  fills: true,
  padding: 1,
  format: "bf16",
  overlaps: { tensor: true, data: true, pipeline: false, weights: false, gradients: "whole" },
  reduced: 4,
  polled: 0.6,
  waits: 192,
  queue: 25,
  pace: 2.3e12,
  collected: { whole: 2, pieces: 2 },
};
