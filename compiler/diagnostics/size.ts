import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const sizeUnderspecified = define<{ model: string; missing: string }>({
  code: "cdr/size-underspecified",
  severity: "error",
  message: ({ model, missing }) => `model ${model} has neither a size nor ${missing}`,
  explanation:
    "A model needs either a `size`, from which the compiler derives its shape, " +
    "or at least `layers` and `d_model`. All other properties have defaults in its family.",
  fix: "Add `size = auto(total = 124M params, within = 1%)`, or `layers` and `d_model`.",
});

export const sizeDivisibility = define<{
  part: string;
  partValue: number;
  whole: string;
  wholeValue: number;
  why: string;
}>({
  code: "cdr/size-divisibility",
  severity: "error",
  message: ({ part, partValue, whole, wholeValue, why }) =>
    `${part} = ${partValue} does not divide ${whole} = ${wholeValue}: ${why}`,
  explanation:
    "Attention splits the width of the model into heads, and groups of heads share keys and values. Both splits must be " +
    "even: `heads` divides `d_model`, and `kv_heads` divides `heads`. If `head_dim` is written, or fixed by the family, " +
    "`heads` need not divide `d_model`, except in llama, gemma2, gemma3 and deepseek_v2, whose classes refuse it. RWKV's heads are " +
    "`rwkv.head_dim` wide, which must divide `d_model` too.",
  fix: "Write one of the values that `valid` lists.",
});

export const sizeExperts = define<{ topK: number; experts: number }>({
  code: "cdr/size-experts",
  severity: "error",
  message: ({ topK, experts }) =>
    `moe.top_k = ${topK} is more than moe.experts = ${experts}: a token passes through each expert at most once`,
  explanation:
    "For each token a router chooses `top_k` of the `experts` of a layer. It cannot choose more than exist, and every library " +
    "refuses to build such a layer.",
  fix: "Lower `top_k`, or raise `experts`.",
});

export const sizeExpertsUnused = define<{ model: string; property: string; why: string }>({
  code: "cdr/size-experts-unused",
  severity: "warning",
  message: ({ model, property, why }) => `${property} has no effect, since no layer of ${model} has experts: ${why}`,
  explanation:
    "The letters of a hybrid's `pattern` say which layers have experts; in a mixture `moe.first_dense` and `moe.every` do. " +
    "If none has, the model is dense, whatever is written about experts.",
  fix: "Write a `pattern` with layers of experts, or remove `moe`.",
});

export const sizeRotary = define<{ dimensions: number; fraction: number; headDim: number }>({
  code: "cdr/size-rotary",
  severity: "error",
  message: ({ dimensions, fraction, headDim }) =>
    `rotary positions rotate pairs of dimensions, but rotary_fraction ${fraction} of head_dim ${headDim} is ${dimensions}`,
  explanation:
    "Rotary embeddings rotate dimensions in pairs, so `head_dim * rotary_fraction` must be an even whole number of at least 2.",
  fix: "Choose `head_dim` and `rotary_fraction` so that their product is even: 64 and 0.5, 128 and 1.",
});

export const sizeUnsupported = define<{
  family: string;
  class: string;
  property: string;
  value: string;
  can: string;
}>({
  code: "cdr/size-unsupported",
  severity: "error",
  message: ({ family, class: cls, property, value, can }) =>
    `family ${family} cannot have ${property} = ${value} (${cls} has no such variant); ${can}`,
  explanation:
    "A family comprises the models that a class of the transformers library can build. The message names the families that can have this " +
    "property; `valid` lists the values of this family.",
  fix: "Use a family that the message names, or a value that `valid` lists.",
});

export const sizeUncounted = define<{ family: string; property: string; value: string; counted: string }>({
  code: "cdr/size-uncounted",
  severity: "info",
  message: ({ family, property, value, counted }) =>
    `Megatron builds ${property} = ${value}, but family ${family} is counted with ${counted}`,
  explanation:
    "Megatron builds a model from its arguments, which may differ from all models of the family. Parameters, memory " +
    "and time are those of the family's own tensors: the bias of a norm, a gate or a table of positions more or less is not counted.",
  fix: "Use a family that has the property if one exists; otherwise read the plan's figures as estimates.",
});

export const sizeBounds = define<{ property: string; value: string; bound: string; origin: string }>({
  code: "cdr/size-bounds",
  severity: "error",
  message: ({ property, value, bound, origin }) => `${property} = ${value} (${origin}) is outside its bound ${bound}`,
  explanation: "`<=`, `>=` and `in` limit both written and chosen values.",
  fix: "Change the value, or widen the bound.",
});

export const sizeUnreachable = define<{ asked: string; within: string; why: string }>({
  code: "cdr/size-unreachable",
  severity: "error",
  message: ({ asked, within, why }) =>
    `no shape within the given properties and bounds has ${asked} parameters within ${within}: ${why}`,
  explanation:
    "The sizer varies every property that the file leaves open, in steps that keep matrices aligned, and stays as close to the " +
    "family's rules as published models do. A mixture of experts may have two counts, `total` and `active`, and must meet both: by depth, " +
    "width, the width of an expert and the number of experts, of which a token uses at most half.",
  fix: "Widen `within`, free a property with `= auto`, or write a count that the message names.",
});

export const sizeConflict = define<{ target: string; actual: string; within: string }>({
  code: "cdr/size-conflict",
  severity: "error",
  message: ({ target, actual, within }) =>
    `the given properties fix the size at ${actual} parameters, not ${target} within ${within}`,
  explanation:
    "`size = auto(…)` asks for a number of parameters, but `layers`, `d_model` and `d_ff` are all written, so the shape is fixed.",
  fix: "Remove `size`, or free one of `layers`, `d_model` and `d_ff` with `= auto`.",
});

export const sizeVocabulary = define<{ vocab: number; tokenizer: number }>({
  code: "cdr/size-vocabulary",
  severity: "error",
  message: ({ vocab, tokenizer }) => `vocab = ${vocab} is less than the tokenizer's ${tokenizer} tokens`,
  explanation:
    "A token without a row in the embedding table stops training with an index error at the first batch that contains it.",
  fix: "Raise `vocab` to at least the tokenizer's size, or remove it.",
});

export const sizeContext = define<{ sequence: number; context: number }>({
  code: "cdr/size-context",
  severity: "error",
  message: ({ sequence, context }) =>
    `samples of ${sequence} tokens do not fit the model's context of ${context} tokens`,
  explanation:
    "A model is trained for positions up to its `context`. Longer samples contain positions that it was not trained for.",
  fix: "Shorten `context` of the stage, or `sequence` of the data or the phase, to the model's `context`; or raise the model's.",
});

export const sizeWidth = define<{ d_ff: number; d_model: number; ratio: number; range: string }>({
  code: "cdr/size-width",
  severity: "warning",
  message: ({ d_ff, d_model, ratio, range }) =>
    `the feed-forward width ${d_ff} is ${ratio} times the model's ${d_model}; published models have ${range}`,
  explanation:
    "In published decoders the feed-forward width is a small multiple of the model's width. A ratio more than twice outside their range is " +
    "untested, and usually a slip.",
  fix: "Write a `d_ff` in the published range, or remove it to get the family's.",
});

export const sizeTwice = define<{
  first: string;
  second: string;
  /** The family, where only a mixture could have both. */
  dense?: string;
}>({
  code: "cdr/size-twice",
  severity: "error",
  message: ({ first, second, dense }) =>
    `\`auto\` takes \`${first}\` or \`${second}\`, not both${dense === undefined ? "" : `: ${dense} has no experts, so all its parameters are active`}`,
  explanation:
    "A size is given by one count (`total`, `active`) or one budget (`tokens`, `compute`, `gpu_hours`, `cost`, `time`). Only a mixture of experts " +
    "takes two counts: `active` determines its width and depth, `total` its number of experts.",
  fix: "Keep one of the two.",
});

export const sizeBudget = define<{ missing: string }>({
  code: "cdr/size-budget",
  severity: "error",
  message: ({ missing }) => missing,
  explanation:
    "Hours and dollars are converted to FLOPs by the peak of the cluster's devices and the utilization (`use`, 40 % by " +
    "default), and FLOPs to parameters by `6 * parameters * tokens` with `ratio` tokens per parameter.",
  fix: "Add a cluster or a launch for hours and dollars, a price for dollars, or a `ratio`, as the message says; or write a budget that is enough for a model.",
});

export const sizeMissesBudget = define<{ stage: string; takes: string; budget: string; on: string; why: string }>({
  code: "cdr/size-misses-budget",
  severity: "warning",
  message: ({ stage, takes, budget, on, why }) =>
    `the model is sized for ${budget} of ${on}, but stage ${stage} takes ${takes}: ${why}`,
  explanation:
    "`size = auto(cost | gpu_hours | time = …, on = CLUSTER)` chooses the largest model whose stage, trained on `ratio` tokens per parameter, " +
    "stays within the budget, including evaluations, checkpoints and failures. If the stage trains for longer " +
    "or shorter, on another cluster, or if the file sets the utilization, the plan comes to another amount.",
  fix: "Give the stage the length that the size assumes, and the cluster that `on` names; remove `use`.",
});

export const sizeMissesLength = define<{
  stage: string;
  tokens: string;
  trained: string;
  ratio: string;
  each: string;
}>({
  code: "cdr/size-misses-length",
  severity: "warning",
  message: ({ stage, tokens, trained, ratio, each }) =>
    `the model is sized for ${tokens} tokens, but stage ${stage} trains it on ${trained}: ${each} per parameter, not ${ratio}`,
  explanation:
    "`size = auto(tokens | compute = …)` chooses the number of parameters that is optimal for that training, `ratio` tokens for each " +
    "(Hoffmann et al., arXiv 2203.15556). The stage that trains the model has a length of its own: on fewer tokens a smaller model " +
    "reaches the same loss for less; on more, which is reported as information, a larger one learns more from them.",
  source: "Hoffmann et al. 2022, arXiv 2203.15556, section 3",
  fix: "Let the length follow from the model, size the model for the tokens of the stage, or write the intended `ratio`.",
});

export const sizeStarved = define<{ stage: string; model: string; tokens: string; each: string; ratio: number }>({
  code: "cdr/size-starved",
  severity: "warning",
  message: ({ stage, model, tokens, each, ratio }) =>
    `the budget buys ${model} so many parameters only because stage ${stage} trains on ${tokens} tokens: ${each} per parameter, where ${ratio} are compute-optimal`,
  explanation:
    "`size = auto(gpu_hours | cost | time = …)` spends a budget on `ratio` tokens per parameter (Hoffmann et al., arXiv 2203.15556), unless " +
    "the stage that trains the model has a length of its own. A short one leaves the whole budget to the number of parameters: a smaller " +
    "model that sees more tokens reaches a lower loss for the same money.",
  source: "Hoffmann et al. 2022, arXiv 2203.15556, section 3",
  fix: "Let the length follow from the model, or write the intended `ratio`.",
});

export const sizeLopsided = define<{
  model: string;
  /** What decides how many parameters it has. */
  asked: "count" | "budget";
  what: string;
}>({
  code: "cdr/size-lopsided",
  severity: "warning",
  message: ({ model, asked, what }) =>
    `${model} has the ${asked === "count" ? "requested number of parameters" : "parameters that its budget allows"}, but with ${what}`,
  explanation:
    "The sizer meets the count within the written properties and bounds, which may leave only an unusual shape: three times deeper or " +
    "flatter than models of its width, feed-forward parts of an unusual width, or tables of a large vocabulary that leave little for the layers. Such a model can be trained, but is " +
    "probably not what was meant.",
  fix: "Remove a bound or a property, change the count, tie the tables (`tied = true`), or use a smaller vocabulary.",
});

export const sizePattern = define<{ family: string; unknown: string; letters: string }>({
  code: "cdr/size-pattern",
  severity: "error",
  message: ({ family, unknown, letters }) =>
    `family ${family} has no kind of layer ${unknown}; its letters are ${letters}`,
  explanation: "A pattern has one letter for each layer, which stands for a kind of layer of the family.",
  fix: "Write the pattern with the letters in the message, or use another `family`.",
});

export const vocabSeveral = define<{ model: string; first: string; second: string }>({
  code: "cdr/size-vocab-several",
  severity: "error",
  message: ({ model, first, second }) =>
    `the vocabulary of \`${model}\` is ambiguous: its stages ${first} and ${second} use different tokenizers`,
  explanation:
    "A model without `vocab` or `tokenizer` gets the vocabulary of its training data. Stages with " +
    "different tokenizers train models of different sizes, so `m.vocab` and `m.parameters` have no single value.",
  fix: "Write `vocab` or `tokenizer` in the model, or declare one model for each tokenizer.",
});
