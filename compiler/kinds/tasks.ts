/** What an `eval` can measure. */
import type { Constructor, Property, Type } from "../../dsl/kind.ts";
import { choice, handle, integer, list, quantity, union } from "../../dsl/types/type.ts";

const tokens = quantity([{ token: 1 }], { integer: true, min: 1 });
const shots: Property = {
  type: integer({ min: 0 }),
  doc: "solved examples before each question",
  default: "0",
  also: ["num_fewshot", "n_shot", "few_shot", "fewshot", "k"],
};

const suite = (doc: string): Constructor => ({ doc, runs: false, parameters: { shots } });

/** A benchmark is known by its name, as lm-evaluation-harness spells it; a plugin with `role = metric` is one more. */
export const tasks: Type = list(
  choice("metric", {
    perplexity: {
      doc: "of a split: `perplexity(corpus.val)`",
      parameters: {
        of: { type: handle(["data"], ["train", "val", "test"]), doc: "the text", required: true },
      },
      positional: ["of"],
      runs: false,
    },
    hellaswag: suite("endings of everyday scenes (Zellers et al. 2019)"),
    arc_easy: suite("school science, easy (Clark et al. 2018)"),
    arc_challenge: suite("school science, hard (Clark et al. 2018)"),
    piqa: suite("physical common sense (Bisk et al. 2020)"),
    winogrande: suite("whom a pronoun means (Sakaguchi et al. 2020)"),
    lambada: suite("the last word of a passage (Paperno et al. 2016)"),
    mmlu: suite("57 subjects, four choices (Hendrycks et al. 2021)"),
    gsm8k: suite("grade-school arithmetic in words (Cobbe et al. 2021)"),
    math_500: suite("500 competition problems (Hendrycks et al. 2021; Lightman et al. 2023)"),
    humaneval: suite("short programs, run against tests (Chen et al. 2021)"),
    ruler: {
      doc: "recall over long contexts (Hsieh et al. 2024)",
      parameters: {
        length: {
          type: union(tokens, { kind: "range", element: tokens }),
          doc: "contexts, doubled from the first to the last",
          required: true,
        },
      },
      runs: false,
    },
    expert_load: { doc: "how a router spreads tokens over experts", parameters: {}, runs: false },
    policy: {
      doc: "whether a policy converges: its reward, entropy and distance from its start",
      parameters: {},
      runs: false,
    },
    memory_use: { doc: "what a model with a memory stores, finds and keeps", parameters: {}, runs: false },
    branching: { doc: "how many continuations are tried and accepted", parameters: {}, runs: false },
  }),
);
