/** Stages of a `.cdr` that an engine cannot run where they are put. */
import { inFile, type LaunchCase } from "./case.ts";

const stage = inFile(
  "main.cdr",
  (engine) => `data corpus { from = python_stdlib, tokenizer = bytes }

model small { family = llama, layers = 4, d_model = 256, context = 256 tokens }

stage pretrain {
  model     = small
  data      = corpus
  engine    = ${engine}
  length    = 10 steps
  batch     = 8 samples
  optimizer = adamw(lr = 1e-3)
}
`,
);

export const engineCases: readonly LaunchCase[] = [stage("M029", "megatron", "torch")];
