import type { Constructor, FormulaNames, Type } from "../../../dsl/kind.ts";
import {
  block,
  choice,
  duration,
  formulaOver,
  handleOrAt,
  integer,
  number,
  quantity,
  share,
  union,
} from "../../../dsl/types/type.ts";

const plain = (doc: string): FormulaNames[string] => ({ doc, type: number() });

/** What a reward may speak of. */
const rewards: FormulaNames = {
  task: plain("1 if the task's check accepts the answer, 0 if not, or a share"),
  format: plain("1 if the answer has the requested form"),
  stability: plain("share of proposed memory changes that were kept"),
  latency: plain("time of an answer relative to the same model without its memory"),
  tokens: plain("length of an answer relative to the horizon"),
};

const advantage: Type = choice("advantage", {
  group: { doc: "an answer's reward against the others of its group (Shao et al. 2024)", parameters: {} },
  gae: {
    doc: "generalised advantage estimation (Schulman et al. 2016); needs a value head",
    parameters: {
      gamma: { type: number({ min: 0, max: 1 }), doc: "discount of later rewards", default: "1.0" },
      lambda: { type: number({ min: 0, max: 1 }), doc: "smoothing of the estimate (lambda)", default: "0.95" },
    },
  },
});

const grpo: Constructor = {
  doc: "group relative policy optimisation (Shao et al. 2024)",
  runs: false,
  parameters: {
    group: {
      type: integer({ min: 2 }),
      doc: "answers to one prompt, compared with each other; each answer is a sample of the stage's `batch`",
      required: true,
    },
    reward: { type: formulaOver(rewards, number(), "reward"), doc: "the reward to maximise", required: true },
    horizon: { type: quantity([{ token: 1 }], { integer: true, min: 1 }), doc: "longest answer", required: true },
    clip: { type: number({ above: 0 }), doc: "how far the policy may move in one step", default: "0.2" },
    kl: { type: number({ min: 0 }), doc: "weight of the divergence from the stage's start", default: "0.02" },
    advantage: { type: advantage, doc: "how an answer is compared with others", default: "group" },
    temperature: { type: number({ above: 0 }), doc: "temperature of sampling answers", default: "1.0" },
    timeout: { type: duration, doc: "time limit of checking one answer", default: "10 s" },
  },
};

const dpo: Constructor = {
  doc: "direct preference optimisation on pairs of answers (Rafailov et al. 2023); each pair is a sample of the stage's `batch`",
  example: `stage preferred {
  from      = tuned.last
  data      = pairs   // format = preferences(prompt = …, chosen = …, rejected = …)
  length    = 1 epoch
  batch     = 64 samples
  optimizer = adamw(lr = 5e-7)
  objective = dpo(beta = 0.1)
  loss      = policy
}`,
  runs: false,
  parameters: {
    beta: { type: number({ above: 0 }), doc: "strength of the pull to the initial model", default: "0.1" },
    smoothing: {
      type: share("the pairs", { below: 0.5 }),
      doc: "share of pairs that may be labelled wrongly",
      default: "0%",
    },
  },
};

const distill: Constructor = {
  doc: "a smaller model learns a larger one's predictions of each next token (Hinton et al. 2015)",
  runs: false,
  parameters: {
    teacher: {
      type: union(handleOrAt(["stage"], ["last", "best", "mean"]), block("model")),
      doc: "the larger model: a stage's, or one with published weights",
      required: true,
    },
    temperature: { type: number({ above: 0 }), doc: "temperature that flattens both distributions", default: "1.0" },
  },
};

/** The terms of a loss that an objective gives a value; the first has to be one of them. */
export const termsOf: Readonly<Record<string, readonly [string, ...string[]]>> = {
  grpo: ["policy", "value", "entropy"],
  dpo: ["policy"],
  distill: ["distill"],
};

/** What a stage optimises beside, or in place of, likelihood. */
export const objectives: Type = choice("objective", { grpo, dpo, distill });
