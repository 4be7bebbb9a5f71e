import type { Saved } from "./family.ts";

/** What attention keeps besides query, key and value: its output, and per head the softmax statistics or the scores. */
export const attentionCore: readonly Saved[] = [
  { name: "attention output", size: ["heads", "head_dim"], width: "compute" },
  { name: "softmax statistics", size: "heads", width: 4 },
  { name: "attention probabilities", size: "heads", width: "compute", scores: true },
  { name: "attention dropout", size: "heads", width: 1, scores: true, when: "dropout" },
];

/**
 * What the activation keeps: its input, where the derivative needs it, and its output, which the next matrix needs.
 * ReLU's derivative needs only the output; `relu2` squares it, which keeps the ReLU's output and the square.
 */
export const activationSaved: readonly Saved[] = [
  { name: "activation input", size: "d_ff", width: "compute", when: "activation:gelu" },
  { name: "activation input", size: "d_ff", width: "compute", when: "activation:gelu_tanh" },
  { name: "activation input", size: "d_ff", width: "compute", when: "activation:silu" },
  { name: "ReLU before the square", size: "d_ff", width: "compute", when: "activation:relu2" },
  { name: "activation output", size: "d_ff", width: "compute" },
];
