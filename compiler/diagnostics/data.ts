/** Diagnostics about text, tokens and where they are stored. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const noSpecials = define<{ tokenizer: string }>({
  code: "cdr/tokenizer-specials",
  severity: "error",
  message: ({ tokenizer }) => `\`${tokenizer}\` needs a special token for the end of a document`,
  explanation: `The first of \`specials\` separates documents, so that a model learns where one ends. The default is
\`specials = ["<|end|>"]\`.`,
  fix: 'Write `specials = ["<|end|>"]`, or remove `specials`.',
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
    `\`${token}\` is both the padding and the end of a document, so the model never learns to stop`,
  explanation: `The loss excludes padding. If the token that ends a document is also the padding, its loss is excluded too,
and the trained model never ends an answer.`,
  fix: "Give `pad` a token of its own, or remove it: packed samples need no padding.",
});

export const dtypeTooSmall = define<{ vocab: number; ids: number }>({
  code: "cdr/data-dtype",
  severity: "error",
  message: ({ vocab, ids }) => `uint16 holds ${ids} ids, but the tokenizer has ${vocab}`,
  explanation: `Token ids beyond 65,535 would wrap around and become other tokens, without any error during training. The default is the
smallest type that holds the vocabulary.`,
  fix: "Remove `dtype`, or write `uint32`.",
});

export const randomVocabulary = define<{ drawn: number; vocab: number }>({
  code: "cdr/data-random",
  severity: "error",
  message: ({ drawn, vocab }) => `random ids are drawn from ${drawn}, but the tokenizer has ${vocab}`,
  explanation: `The model has no embedding row for an id that the tokenizer does not have. By default, ids are drawn from the
tokenizer's own.`,
  fix: "Remove `vocab`, or write at most the tokenizer's size.",
});

export const streamsMixed = define<{ streamed: string; stored: string }>({
  code: "cdr/data-streams",
  severity: "error",
  message: ({ streamed, stored }) =>
    `\`${streamed}\` is streamed during training but \`${stored}\` is prepared beforehand: one mixture cannot hold both`,
  explanation: `A streamed source has no known length and is read in its own order; a stored one has a length and any order. In one mixture,
either the weights or the order would be wrong.`,
  fix: "Write `stream` for the whole data block, or split it in two.",
});

export const phaseOrder = define<{ phase: string; before: string }>({
  code: "cdr/data-phases",
  severity: "error",
  message: ({ phase, before }) =>
    `phase \`${phase}\` ends before it begins: it follows \`${before}\`, which ends later`,
  explanation: `Phases follow one another in the order of the file; each lasts from the end of the one before to its \`until\`.`,
  fix: "Write the phases in the order of their `until`.",
});

export const phaseEnd = define<{ phase: string; until: string }>({
  code: "cdr/data-phases-end",
  severity: "error",
  message: ({ phase, until }) =>
    `the last phase, \`${phase}\`, ends at ${until}: no phase covers the rest of the run`,
  explanation: `Each phase lasts to its \`until\`, and the last must reach the end of the run, so that a phase covers every sample.`,
  fix: "Write `until = 100%` in the last phase.",
});

export const phaseNever = define<{ phase: string; until: string; stage: string; total: string }>({
  code: "cdr/data-phase-never",
  severity: "warning",
  message: ({ phase, until, stage, total }) =>
    `phase \`${phase}\` lasts until ${until}, but \`${stage}\` ends after ${total}`,
  explanation: `A shorter run cuts off a phase whose end is given in steps or tokens, and later phases never begin. A share of the run fits every run.`,
  fix: "Write `until` as a share of the run, such as `until = 50%`, or an earlier point.",
});

export const noWeights = define<{ name: string }>({
  code: "cdr/data-weights-none",
  severity: "error",
  message: ({ name }) => `all weights of \`${name}\` are 0: no source is left`,
  explanation: `The share of a source is its weight divided by the sum of all weights. A weight of 0 excludes a source; at least one must remain.`,
  fix: "Give at least one source a weight above 0.",
});

export const storeReadOnly = define<{ store: string; step: string }>({
  code: "cdr/store-read-only",
  severity: "error",
  message: ({ store, step }) => `\`${step}\` writes to store \`${store}\`, which can only be read`,
  explanation: `With \`access = read\`, no node can write to a store.`,
  fix: "Give the store `access = many` (or `one`), or let the step write elsewhere.",
});

export const tokenizerTwice = define<{ name: string }>({
  code: "cdr/tokenizer-twice",
  severity: "error",
  message: ({ name }) => `tokenizer \`${name}\` has both \`learn\` and \`from\``,
  explanation: `A tokenizer is either learned from text (\`learn = bpe(…)\`) or taken from elsewhere (\`from = hf(…)\`). One of the two would be ignored.`,
  fix: "Keep one of the two, or declare two tokenizers.",
});

export const tokenizerUnmade = define<{ name: string }>({
  code: "cdr/tokenizer-unmade",
  severity: "error",
  message: ({ name }) => `tokenizer \`${name}\` has neither \`learn\` nor \`from\``,
  explanation: `A tokenizer is either learned from text of the project or taken from elsewhere: tiktoken, or a model on the Hugging Face Hub.`,
  fix: 'Write `learn = bpe(vocab = 32_000, from = corpus.text)`, or `from = tiktoken("gpt2")` or `hf("owner/name")`.',
});

export const filesUnreadable = define<{ ending: string }>({
  code: "cdr/data-unreadable",
  severity: "error",
  message: ({ ending }) => `\`${ending}\` files cannot be read as text`,
  explanation: `A \`data\` block reads plain text, \`.json\`, \`.jsonl\`, \`.csv\`, \`.tsv\` and \`.parquet\`; the text formats may be compressed (\`.gz\`, \`.bz2\`, \`.xz\`, \`.zst\`).
Pickles are refused on purpose: opening one runs the program in it.`,
  fix: "Convert the texts to `.jsonl` or `.parquet`, and read those.",
});
