import type { FormulaNames, Type } from "../../../dsl/kind.ts";
import { enumeration, number, share } from "../../../dsl/types/type.ts";

const term = (doc: string): FormulaNames[string] => ({ doc, type: number({ min: 0 }), runs: false });

const predicted: FormulaNames[string] = {
  doc: "cross-entropy of each next token, averaged",
  type: number({ min: 0 }),
  parameters: {
    over: {
      type: enumeration("part of a sample", ["all", "answers"]),
      doc: "which tokens count",
      default: "all",
    },
    smoothing: {
      type: share("the probability", { below: 1 }),
      doc: "probability that is spread over the other tokens",
      default: "0%",
      runs: false,
    },
  },
};

/** What a loss is made of. */
export const terms: FormulaNames = {
  cross_entropy: predicted,
  causal: predicted,
  load_balance: term(
    "how unevenly a router spreads tokens: experts x sum of share x probability (Shazeer et al. 2017)",
  ),
  z_loss: term("square of the log of the router's partition function (Zoph et al. 2022)"),
  policy: term("the policy term of the objective: its clipped advantage"),
  value: term("squared error of the value head"),
  entropy: term("entropy of the policy"),
  distill: term("divergence from the distribution of the objective's teacher"),
};

/** What is minimised: `cross_entropy + 0.01 * load_balance`, or a plugin with `role = loss`. */
export const loss: Type = {
  kind: "formula",
  names: terms,
  foreign: {
    ...{ dpo: "policy", grpo: "policy", ppo: "policy" },
    ...{ ce: "cross_entropy", nll: "cross_entropy", lm: "cross_entropy", sft: "cross_entropy" },
    ...{ aux: "load_balance", aux_loss: "load_balance", balance: "load_balance", router_z_loss: "z_loss" },
    ...{ mse: "value", kl: "distill", kd: "distill" },
  },
  result: number(),
  role: "loss",
  alone: true,
};
