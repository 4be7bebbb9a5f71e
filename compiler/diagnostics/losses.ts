/** Diagnostics about the loss of a stage. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const lossExperts = define<{ term: string; model: string }>({
  code: "cdr/loss-experts",
  severity: "error",
  message: ({ term, model }) => `\`${term}\` needs a router, but model \`${model}\` has no experts`,
  explanation: `\`load_balance\` and \`z_loss\` keep a router balanced and its logits small; \`overflow\`, \`entropy\` and an eval's \`utilization\` measure
how it spreads tokens. They need a model with \`moe { experts = … }\`.`,
  fix: "Remove it, or give the model `moe { experts = … }`.",
});

export const lossConstant = define<{ loss: string }>({
  code: "cdr/loss-constant",
  severity: "error",
  message: ({ loss }) => `the loss ${loss} does not depend on the model: nothing would be trained`,
  explanation: `A loss is a formula over its terms, such as \`cross_entropy + 0.01 * z_loss\`, or a plugin with \`role = loss\`. A constant has no
gradient.`,
  fix: "Write a formula to minimise: `loss = cross_entropy`, which is the default.",
});

export const lossNegative = define<{ term: string; weight: string }>({
  code: "cdr/loss-negative",
  severity: "error",
  message: ({ term, weight }) =>
    `\`${term}\` has the weight ${weight} in the loss, which is minimised: the model would learn to increase it`,
  explanation: `A loss is minimised, and its terms are errors and penalties, so each needs a positive weight. Repeated terms are
added: \`0.01 * cross_entropy - cross_entropy\` is \`-0.99 * cross_entropy\`. Only the \`entropy\` of a policy may be subtracted, because more of it is better.`,
  fix: "Write `+`, or remove the term.",
});

export const lossObjective = define<{ what: string; missing: string }>({
  code: "cdr/loss-objective",
  severity: "error",
  message: ({ what, missing }) => `${what} without ${missing}`,
  explanation: `An objective gives the loss a term: \`grpo\` and \`dpo\` give \`policy\`, \`grpo\` also \`value\` and \`entropy\`, and \`distill\` gives
\`distill\`. Both must be written, so that the weights are explicit: a term without its objective has no value, and an objective without its
term trains nothing.`,
  fix: "Write both, such as `objective = dpo(…)` and `loss = policy`; or neither.",
});
