/** Figures that torch, numpy or transformers refuse, or that train nothing: they are told before a run starts. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";

const base = `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 4, d_model = 256, heads = 4, context = 256 tokens }
stage pre { model = small, data = web, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;

function told(more: string): readonly string[] {
  const options = {
    ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
  };
  return compile({ path: "main.cdr", text: base + more }, options)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
}

it.each([
  ["pre.optimizer = adamw(lr = 1e-3, betas = [0.9, 1])", /betas.* is 1, but must be at least 0 and less than 1$/],
  ["pre.optimizer = adamw(lr = 1e-3, betas = [1, 0.9])", /betas.*less than 1$/],
  ["pre.optimizer = adamw(lr = 1e-3, eps = 0)", /eps.*at least 1\.17549e-38/],
  ["pre.optimizer = sgd(lr = 1e-3, momentum = 1)", /momentum.*less than 1$/],
  ["pre.seed = 4294967296", /`seed` is 4_294_967_296, but must be between 0 and 4_294_967_295/],
  ["web.seed = 4294967296", /`seed`/],
  ["pre { ema { decay = 1 } }", /decay.*less than 100%/],
  ["pre.loss = cross_entropy(smoothing = 100%)", /smoothing.*less than 100%/],
  ["pre.adapters = lora(rank = 4, alpha = 8, dropout = 100%)", /dropout.*less than 100%/],
  ["pre.adapters = lora(rank = 4, alpha = 0)", /alpha.*more than 0$/],
  ["small.dropout = 100%", /dropout.*less than 100%/],
  ["small.init_std = 1000", /init_std.*more than 0 and at most 1$/],
  ["small.context = 1 token", /context.*at least 2 tokens/],
])("%s", (line, message) => {
  expect(told(line)).toEqual([expect.stringMatching(message)]);
});

// Runs that measure speed alone have a rate of 0.
it("the ends that they take are none of these", () => {
  const stage = "optimizer = adamw(lr = 0, betas = [0, 0.9999], eps = 1e-30, weight_decay = 0), seed = 4294967295";
  expect(told(`pre { ${stage} }\nsmall { dropout = 99%, init_std = 1 }`)).toEqual([]);
});

it.each([
  ["pre.time >= 3000 h", "time"],
  ["pre.cost > 3 usd", "cost"],
  ["workflow w { jobs = [pre], time >= 5 h }", "time"],
  ["sweep s { stage = pre, cost >= 5 usd, vary { seed in 1..3 } }", "cost"],
])("a budget has no lower bound: %s", (line, name) => {
  expect(told(line)).toContainEqual(`\`${name}\` takes an upper bound (\`<=\`), not a lower one: it is a limit`);
});
