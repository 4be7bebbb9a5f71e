import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const sizeUnderspecified = define<{ model: string; missing: string }>({
  code: "cdr/size-underspecified",
  severity: "error",
  message: ({ model, missing }) => `model ${model} says neither a size nor ${missing}`,
  explanation:
    "A model needs either `size = auto(total = 124M params, within = 1%)`, from which the compiler derives its shape, " +
    "or at least `layers` and `d_model`. Everything else has a default in its family.",
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
    "Attention splits the width of the model into heads, and groups of heads share keys and values. Both splits must come " +
    "out even: `heads` divides `d_model`, and `kv_heads` divides `heads`. Where `head_dim` is written, or the family has one of its own, " +
    "`heads` need not divide `d_model`, except in llama, gemma2, gemma3 and deepseek_v2, whose classes refuse it. RWKV's heads are " +
    "`rwkv.head_dim` wide, which divides `d_model` too. The message lists the values that do.",
  fix: "Take one of the values that `valid` lists.",
});

export const sizeExperts = define<{ topK: number; experts: number }>({
  code: "cdr/size-experts",
  severity: "error",
  message: ({ topK, experts }) =>
    `moe.top_k = ${topK} is more than moe.experts = ${experts}: a token passes through each expert once at most`,
  explanation:
    "A router picks `top_k` of the `experts` of a layer for each token. It cannot pick more than there are, and every library that " +
    "builds such a layer fails.",
  fix: "Lower `top_k`, or raise `experts`.",
});

export const sizeExpertsUnused = define<{ model: string; property: string; why: string }>({
  code: "cdr/size-experts-unused",
  severity: "warning",
  message: ({ model, property, why }) => `${property} is written, and no layer of ${model} has experts: ${why}`,
  explanation:
    "The letters of a hybrid's `pattern` say which layers have experts; in a mixture `moe.first_dense` and `moe.every` do. " +
    "If none has, the model is dense, whatever is written about experts.",
  fix: "Write a `pattern` with layers of experts, or remove `moe`.",
});

export const sizeRotary = define<{ dimensions: number; fraction: number; headDim: number }>({
  code: "cdr/size-rotary",
  severity: "error",
  message: ({ dimensions, fraction, headDim }) =>
    `rotary positions turn pairs of dimensions, but rotary_fraction ${fraction} of head_dim ${headDim} is ${dimensions}`,
  explanation:
    "Rotary embeddings rotate dimensions two by two, so `head_dim * rotary_fraction` must be an even whole number of at least 2.",
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
    "A family is what a class of the transformers library can build. The message names the families that can have this " +
    "property, and `valid` lists the values this family has.",
  fix: "Take a family that the message names, or a value that `valid` lists.",
});

export const sizeUncounted = define<{ family: string; property: string; value: string; counted: string }>({
  code: "cdr/size-uncounted",
  severity: "info",
  message: ({ family, property, value, counted }) =>
    `Megatron builds ${property} = ${value}, and family ${family} is counted with ${counted}`,
  explanation:
    "Megatron builds a model from its arguments, and each of them may be what no model of the family has. Parameters, memory " +
    "and time are those of the family's own tensors: a norm's shift, a gate or a table of positions more or less is not counted.",
  fix: "Take a family that has the property where one does; otherwise read the plan's figures as estimates.",
});

export const sizeBounds = define<{ property: string; value: string; bound: string; origin: string }>({
  code: "cdr/size-bounds",
  severity: "error",
  message: ({ property, value, bound, origin }) => `${property} = ${value} (${origin}) is outside its bound ${bound}`,
  explanation: "`<=`, `>=` and `in` limit what may be chosen or written.",
  fix: "Change the value, or widen the bound.",
});

export const sizeUnreachable = define<{ asked: string; within: string; why: string }>({
  code: "cdr/size-unreachable",
  severity: "error",
  message: ({ asked, within, why }) =>
    `no shape within the given properties and bounds has ${asked} parameters within ${within}: ${why}`,
  explanation:
    "The sizer varies every property that the file leaves open, in steps that keep matrices aligned, and no further from the " +
    "family's rules than models that people built. Of a mixture with two counts, `total` and `active` must both be met: by depth, " +
    "width, the width of an expert and the number of experts, of which a token sees half at most.",
  fix: "Widen `within`, take back a property with `= auto`, or ask for a count that the message names.",
});

export const sizeConflict = define<{ target: string; actual: string; within: string }>({
  code: "cdr/size-conflict",
  severity: "error",
  message: ({ target, actual, within }) =>
    `the properties given decide the size: ${actual} parameters, not ${target} within ${within}`,
  explanation:
    "`size = auto(…)` asks for a count, but `layers`, `d_model` and `d_ff` are all written, so nothing is left to choose.",
  fix: "Remove `size`, or give one of `layers`, `d_model` and `d_ff` back with `= auto`.",
});

export const sizeVocabulary = define<{ vocab: number; tokenizer: number }>({
  code: "cdr/size-vocabulary",
  severity: "error",
  message: ({ vocab, tokenizer }) => `vocab = ${vocab} has fewer rows than the tokenizer has tokens, ${tokenizer}`,
  explanation:
    "A token whose number has no row in the embedding table stops training with an index error at the first batch that holds it.",
  fix: "Raise `vocab` to at least the tokenizer's size, or leave it out.",
});

export const sizeContext = define<{ sequence: number; context: number }>({
  code: "cdr/size-context",
  severity: "error",
  message: ({ sequence, context }) =>
    `samples of ${sequence} tokens do not fit the model's context of ${context} tokens`,
  explanation:
    "A model is trained for positions up to its `context`. Longer samples contain positions that it was not trained for.",
  fix: "Shorten `context` of the stage, or `sequence` of the data or the phase, to the model's `context`; or raise that.",
});

export const sizeWidth = define<{ d_ff: number; d_model: number; ratio: number; range: string }>({
  code: "cdr/size-width",
  severity: "warning",
  message: ({ d_ff, d_model, ratio, range }) =>
    `the feed-forward width ${d_ff} is ${ratio} times the model's ${d_model}; published models have ${range}`,
  explanation:
    "Published decoders have feed-forward parts of a few widths of the model. A width more than twice outside their range is untested, " +
    "and usually a slip.",
  fix: "Write a `d_ff` within what was published, or leave it to the family.",
});

export const sizeTwice = define<{ first: string; second: string }>({
  code: "cdr/size-twice",
  severity: "error",
  message: ({ first, second }) => `\`auto\` takes \`${first}\` or \`${second}\`, not both`,
  explanation:
    "A size is one count (`total`, `active`) or one budget (`tokens`, `compute`, `gpu_hours`, `cost`, `time`). Only a mixture of experts " +
    "takes two: `active` decides its width and depth, `total` how many experts it has.",
  fix: "Keep one of the two.",
});

export const sizeBudget = define<{ missing: string }>({
  code: "cdr/size-budget",
  severity: "error",
  message: ({ missing }) => missing,
  explanation:
    "Hours and dollars become operations by the peak of the cluster's devices and the share of it that they reach (`use`, 40 % by " +
    "default), and operations become parameters by `6 * parameters * tokens` at `ratio` tokens a parameter.",
  fix: "Add what is missing: a cluster or a launch for hours and dollars, a price for dollars, or `ratio`; or write a budget that trains a model.",
});

export const sizeMissesBudget = define<{ stage: string; takes: string; budget: string; on: string; why: string }>({
  code: "cdr/size-misses-budget",
  severity: "warning",
  message: ({ stage, takes, budget, on, why }) =>
    `the model is sized for ${budget} of ${on}, and stage ${stage} takes ${takes}: ${why}`,
  explanation:
    "`size = auto(cost | gpu_hours | time = …, on = CLUSTER)` takes the largest model whose stage, trained on `ratio` tokens for each parameter, " +
    "stays within the budget with all that the plan counts: steps, evaluations, checkpoints and failures. Where the stage trains for longer " +
    "or shorter, on another cluster, or with a share of the peak that the file names, its plan comes to another amount.",
  fix: "Give the stage the length that the size counts on, and the cluster that `on` names; leave `use` out.",
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
    `the model is sized for ${tokens} tokens, and stage ${stage} trains it on ${trained}: ${each} for each parameter, not ${ratio}`,
  explanation:
    "`size = auto(tokens | compute = …)` takes the number of parameters that is optimal for that training, `ratio` tokens for each " +
    "(Hoffmann et al., arXiv 2203.15556). The stage that trains the model has a length of its own: on fewer tokens a smaller model " +
    "reaches the same loss for less; on more, which is reported as information, a larger one learns more from them.",
  source: "Hoffmann et al. 2022, arXiv 2203.15556, section 3",
  fix: "Let the length follow from the model, size it for the tokens that the stage trains on, or write the `ratio` that is meant.",
});

export const sizeLopsided = define<{ model: string; what: string }>({
  code: "cdr/size-lopsided",
  severity: "warning",
  message: ({ model, what }) => `${model} has the count that was asked for, with ${what}`,
  explanation:
    "The sizer meets the count within the written properties and bounds, which may leave only an unusual shape: three times deeper or " +
    "flatter than models of its width, feed-forward parts of an unusual width, or tables of a large vocabulary that leave little for the layers. Such a model can be trained, but is " +
    "probably not what was meant.",
  fix: "Take back a bound or a written property, ask for another count, tie the tables (`tied = true`), or take a smaller vocabulary.",
});

export const sizePattern = define<{ family: string; unknown: string; letters: string }>({
  code: "cdr/size-pattern",
  severity: "error",
  message: ({ family, unknown, letters }) =>
    `family ${family} has no layer of letter ${unknown}; its letters are ${letters}`,
  explanation: "A pattern has one letter for each layer, each a kind of layer that the family has.",
  fix: "Write the pattern in the letters that the message lists, or take another `family`.",
});

export const vocabSeveral = define<{ model: string; first: string; second: string }>({
  code: "cdr/size-vocab-several",
  severity: "error",
  message: ({ model, first, second }) =>
    `the vocabulary of \`${model}\` is not one number: its stages ${first} and ${second} read other tokenizers`,
  explanation:
    "A model that names neither `vocab` nor `tokenizer` takes the vocabulary of the data that it is trained on. Stages with " +
    "different tokenizers train differently sized models, so that `m.vocab` and `m.parameters` have no one value.",
  fix: "Write `vocab` or `tokenizer` in the model, or declare one model for each tokenizer.",
});
