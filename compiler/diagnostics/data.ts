/** Diagnostics about text, tokens and where they lie. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const keepNothing = define<{ condition: string; why: string }>({
  code: "cdr/data-keep",
  severity: "error",
  message: ({ condition, why }) => `\`${condition}\` keeps nothing: ${why}`,
  explanation: `All conditions of \`keep\` hold for what stays. Where one of them can never hold, or two of them exclude each other, nothing is left to
train on.`,
  fix: "Widen one of the conditions until some text meets them all.",
});

export const keepIdle = define<{ fact: string; why: string }>({
  code: "cdr/data-keep-idle",
  severity: "warning",
  message: ({ fact, why }) => `what \`or\` offers of \`${fact}\` never holds: ${why}`,
  explanation: `Of what stands on both sides of \`or\` one is enough, so an alternative that no text meets is not missed. It was written for some
text, which is dropped now.`,
  fix: "Correct the alternative that never holds, or leave it out.",
});

export const keepAll = define<{ condition: string; why: string }>({
  code: "cdr/data-keep-all",
  severity: "warning",
  message: ({ condition, why }) => `\`${condition}\` holds for every text, so it drops nothing: ${why}`,
  explanation: `A limit outside what a fact can be is usually a slip: \`repetition <= 20\` means 2000 %, where \`20%\` was meant.`,
  fix: "Write a limit inside the range that the message names, or leave the condition out.",
});

export const noSpecials = define<{ tokenizer: string }>({
  code: "cdr/tokenizer-specials",
  severity: "error",
  message: ({ tokenizer }) => `\`${tokenizer}\` needs a special token for the end of a document`,
  explanation: `The first of \`specials\` stands between documents, so that a model can tell where one ends: \`specials = ["<|end|>"]\`, which
is also what it is when nothing is written.`,
  fix: 'Write `specials = ["<|end|>"]`, or leave `specials` out.',
});

export const tiktokenUnknown = define<{ name: string }>({
  code: "cdr/tokenizer-unknown",
  severity: "error",
  message: ({ name }) => `tiktoken has no encoding "${name}"`,
  explanation: `\`tiktoken("gpt2")\` names an encoding of that library, and the size of the vocabulary follows from it. A tokenizer of a
model on the Hugging Face Hub is \`hf("owner/name")\`.`,
  fix: 'Write an encoding that `valid` lists, or `hf("owner/name")` for a tokenizer of the Hub.',
});

export const padIsEnd = define<{ token: string }>({
  code: "cdr/tokenizer-roles",
  severity: "error",
  message: ({ token }) =>
    `\`${token}\` both fills what is empty and ends documents, so the model never learns to stop`,
  explanation: `The loss leaves padding out. Where the token that ends a document is also the padding, its own loss is left out with it,
and the model that comes of it goes on for ever.`,
  fix: "Give `pad` a token of its own, or leave it out: packed samples need no padding.",
});

export const dtypeTooSmall = define<{ vocab: number; ids: number }>({
  code: "cdr/data-dtype",
  severity: "error",
  message: ({ vocab, ids }) => `uint16 holds ${ids} ids, and the tokenizer has ${vocab}`,
  explanation: `Token ids beyond 65,535 would wrap around and become other tokens, without any error while training. Leave \`dtype\` out
and the smallest type that holds the vocabulary is taken.`,
  fix: "Leave `dtype` out, or write `uint32`.",
});

export const randomVocabulary = define<{ drawn: number; vocab: number }>({
  code: "cdr/data-random",
  severity: "error",
  message: ({ drawn, vocab }) => `ids are drawn from ${drawn}, and the tokenizer has ${vocab}`,
  explanation: `An id that the tokenizer does not have is one that the model has no row for. Leave \`vocab\` out: ids are then drawn from the
tokenizer's own.`,
  fix: "Leave `vocab` out, or write at most the tokenizer's size.",
});

export const streamsMixed = define<{ streamed: string; stored: string }>({
  code: "cdr/data-streams",
  severity: "error",
  message: ({ streamed, stored }) =>
    `\`${streamed}\` is read while training and \`${stored}\` is made beforehand: one mixture cannot hold both`,
  explanation: `A source that streams has no length and is read in its own order; one that lies on disk has both. Drawn from together, either
the weights or the order would be wrong.`,
  fix: "Say `stream` for the whole data block, or split it in two.",
});

export const phaseOrder = define<{ phase: string; before: string }>({
  code: "cdr/data-phases",
  severity: "error",
  message: ({ phase, before }) =>
    `phase \`${phase}\` ends before it begins: it follows \`${before}\`, which ends later`,
  explanation: `Phases follow one another in the order in which they are written; each lasts from the end of the one before to its \`until\`.`,
  fix: "Write the phases in the order of their `until`.",
});

export const phaseEnd = define<{ phase: string; until: string }>({
  code: "cdr/data-phases-end",
  severity: "error",
  message: ({ phase, until }) => `the last phase, \`${phase}\`, ends at ${until}: nothing says how the rest is read`,
  explanation: `Each phase lasts to its \`until\`, and the last to the end of the run, so that every sample is drawn as some phase says.`,
  fix: "Write `until = 100%` in the last phase.",
});

export const phaseNever = define<{ phase: string; until: string; stage: string; total: string }>({
  code: "cdr/data-phase-never",
  severity: "warning",
  message: ({ phase, until, stage, total }) =>
    `phase \`${phase}\` lasts until ${until}, and \`${stage}\` ends after ${total}`,
  explanation: `A phase that ends in steps or tokens is cut short by a shorter run, and those behind it never begin. A share of the run fits every run.`,
  fix: "Write `until` as a share of the run, such as `until = 50%`, or an earlier point.",
});

export const noWeights = define<{ name: string }>({
  code: "cdr/data-weights-none",
  severity: "error",
  message: ({ name }) => `all weights of \`${name}\` are 0: there is nothing to draw from`,
  explanation: `A source is drawn from by its weight over the sum of all weights. One that is 0 leaves a source out; all of them leave no text.`,
  fix: "Give at least one source a weight above 0.",
});

export const storeReadOnly = define<{ store: string; step: string }>({
  code: "cdr/store-read-only",
  severity: "error",
  message: ({ store, step }) => `\`${step}\` writes to store \`${store}\`, which can only be read`,
  explanation: `\`access = read\` mounts a store so that no node can write to it.`,
  fix: "Give the store `access = many` (or `one`), or let the step write elsewhere.",
});

export const tokenizerTwice = define<{ name: string }>({
  code: "cdr/tokenizer-twice",
  severity: "error",
  message: ({ name }) => `tokenizer \`${name}\` is made in two ways: it has both \`learn\` and \`from\``,
  explanation: `A tokenizer is learned from text (\`learn = bpe(…)\`), or is one that exists (\`from = hf(…)\`). One of the two would be ignored.`,
  fix: "Keep one of the two, or declare two tokenizers.",
});

export const tokenizerUnmade = define<{ name: string }>({
  code: "cdr/tokenizer-unmade",
  severity: "error",
  message: ({ name }) => `nothing says how tokenizer \`${name}\` is made: give it \`learn\`, or \`from\``,
  explanation: `A tokenizer is learned from the project's own text, \`learn = bpe(vocab = 32_000, from = corpus.text)\`, or made by others:
\`from = tiktoken("gpt2")\`, \`from = hf("owner/name")\`.`,
  fix: 'Write `learn = bpe(vocab = 32_000, from = corpus.text)`, or `from = tiktoken("gpt2")` or `hf("owner/name")`.',
});

export const filesUnreadable = define<{ ending: string }>({
  code: "cdr/data-unreadable",
  severity: "error",
  message: ({ ending }) => `no text is read from \`${ending}\` files`,
  explanation: `A \`data\` block reads plain text, \`.json\`, \`.jsonl\`, \`.csv\`, \`.tsv\` and \`.parquet\`, each also behind \`.gz\` where it is text. Pickles are
refused on purpose: to open one runs the program in it.`,
  fix: "Write the texts as `.jsonl` or `.parquet` first, and read those.",
});
