import type { Saved } from "./family.ts";

/** What attention keeps besides query, key and value: its output, and per head the softmax statistics or the scores. */
export const attentionCore: readonly Saved[] = [
  { name: "attention output", size: ["heads", "head_dim"], width: "compute" },
  { name: "softmax statistics", size: "heads", width: 4 },
  { name: "attention probabilities", size: "heads", width: "compute", scores: true },
  { name: "attention dropout", size: "heads", width: 1, scores: true, when: "dropout" },
];

/**
 * What the activation keeps besides its input, as transformers' activations.py writes it: GELU, ReLU and SiLU keep
 * nothing more than their output (the next matrix needs it); `relu2` squares, which keeps the ReLU's output too.
 */
export const activationSaved: readonly Saved[] = [
  { name: "activation output", size: "d_ff", width: "compute" },
  { name: "squared ReLU", size: "d_ff", width: "compute", when: "activation:relu2" },
];
