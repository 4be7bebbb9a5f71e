/** What DeepSpeed's pipeline takes (runtime/pipe: PipelineModule, PipelineEngine). */
import type { Pipelined } from "../engine.ts";

/**
 * Families whose code around the layers depends on the shape of a batch alone and is one embedding before them and one norm and head
 * behind them, so that the training program cuts it (trainer/cdr_trainer/pipeline_frame.py). What experts add to the loss is that of all
 * layers together, and no stage has them all.
 */
const families: ReadonlySet<string> = new Set([
  "llama",
  "mistral",
  "qwen2",
  "qwen3",
  "gemma",
  "gemma2",
  "gemma3",
  "gpt2",
  "gpt_neox",
  "olmo2",
  "phi",
  "nemotron",
  "falcon",
  "mpt",
]);

export const pipelined: Pipelined = {
  // runtime/pipe/engine.py: __init__ asserts it.
  zero_stages: [0, 1],
  // Its pipelines were not run with masters on the host here.
  offload: ["none"],
  uncut: ({ model, tuning, compile }) => [
    ...(families.has(model.family)
      ? []
      : [`the training program cannot split family ${model.family} into stages, only ${[...families].join(", ")}`]),
    ...(tuning === undefined ? [] : ["only part of the model is trained, but each stage needs weights to train"]),
    ...(compile ? ["compile = true needs an unsplit model"] : []),
  ],
};
