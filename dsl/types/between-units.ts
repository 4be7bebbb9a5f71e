/** What people write in place of an amount of something else, and how to say it. */
import type { Base, Dimension } from "./units.ts";

const perMachine =
  "How long a step takes depends on the machine: count steps, `100 steps`; `cdrc plan` shows how long one takes.";

/** By what is there and what is wanted; what may be counted in epochs is the length of a run. */
const ways: Readonly<Partial<Record<Base, Readonly<Partial<Record<Base, string>>>>>> = {
  byte: {
    epoch:
      "The number of tokens in a text depends on the tokenizer: write tokens, `20B tokens`, read all of it with `1 epoch`, or divide by the bytes of a token: `400 GB / 4 bytes/token`.",
    token:
      "The number of tokens in a text depends on the tokenizer: write tokens, `20B tokens`, or divide by the bytes of a token: `400 GB / 4 bytes/token`.",
    param: "Divide by the bytes of a parameter: `80 GB / 2 bytes/param` for bf16.",
  },
  param: {
    token: "Multiply by the tokens for each parameter: `20 tokens/param * MODEL.parameters.total`.",
    byte: "Multiply by the bytes of each parameter: `2 bytes/param * MODEL.parameters.total` for bf16.",
  },
  second: {
    epoch:
      "Time is a bound, and the plan knows how long a run takes: write `time <= 36 h` in the stage, or `assert STAGE.plan.duration <= 36 h`.",
    token: perMachine,
    step: perMachine,
  },
  usd: {
    token: "Money is a bound, and the plan knows what a run costs: `assert STAGE.plan.cost <= 500 usd`.",
    step: "Money is a bound, and the plan knows what a run costs: `assert STAGE.plan.cost <= 500 usd`.",
  },
  char: {
    token: "The number of tokens in a text depends on the tokenizer: write tokens, or `2M chars / 4 chars/token`.",
  },
  step: { token: "A stage tells both of its length: `pretrain.tokens` and `pretrain.steps`." },
  token: {
    step: "A stage tells both of its length: `pretrain.tokens` and `pretrain.steps`.",
    sample:
      "A sample has as many tokens as the stage's `context`: count samples, or divide, `pretrain.tokens / (pretrain.context / 1 sample)`.",
    byte: "Multiply by the bytes of a stored token: `2 bytes/token * 20B tokens`.",
  },
  sample: { token: "Multiply by the length of a sample: `pretrain.batch * pretrain.context / 1 sample`." },
};

const only = (dimension: Dimension): Base | null => {
  const [entry, ...others] = Object.entries(dimension) as [Base, number][];
  return entry !== undefined && others.length === 0 && entry[1] === 1 ? entry[0] : null;
};

/** How an amount of one becomes one of another, where there is a usual way. */
export function wayBetween(from: Dimension, to: readonly Dimension[]): string | null {
  const base = only(from);
  const known = base === null ? undefined : ways[base];
  const wanted = to.flatMap((each) => only(each) ?? []);
  if (known?.epoch !== undefined && wanted.includes("epoch")) return known.epoch;
  return wanted.map((each) => known?.[each]).find((way) => way !== undefined) ?? null;
}
