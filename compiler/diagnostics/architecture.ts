/** Diagnostics about how the layers of a model are said. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const modelShares = define<{ sum: number }>({
  code: "cdr/model-shares",
  severity: "error",
  message: ({ sum }) => `the shares of the kinds of layers sum to ${sum}%, not to 100%`,
  explanation: `\`stack(rwkv = 75%, attention = 25%)\` gives each kind its share of the layers, one kind after another. The shares must
cover all layers exactly.`,
  fix: "Write shares that sum to 100%.",
});

export const modelPattern = define<{ layers: number; listed: number; kinds: string }>({
  code: "cdr/model-pattern",
  severity: "error",
  message: ({ layers, listed, kinds }) => `layers = ${layers}, but the pattern lists ${listed} (${kinds})`,
  explanation: `A pattern has one letter for each layer. A layer of a paper may be two layers here: attention or a
Mamba-2 part is one, the feed-forward part after it another.`,
  fix: "Remove `layers`, which then follows from the pattern; or write a pattern with one letter for each layer.",
});

export const modelWindow = define<{ model: string; window: number; context: number }>({
  code: "cdr/model-window",
  severity: "warning",
  message: ({ model, window, context }) =>
    `the window of model \`${model}\`, ${window.toLocaleString("en-US")} tokens, exceeds its context of ${context.toLocaleString("en-US")}: it limits nothing`,
  explanation: `\`window\` is how far back a token of a layer with sliding attention sees. No sample is longer than \`context\`, so a window beyond it is
full attention. Usually one of the two is a slip.`,
  fix: "Write a `window` below the `context`, a longer `context`, or no `window`.",
});
