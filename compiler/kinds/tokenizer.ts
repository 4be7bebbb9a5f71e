import type { BlockKind, Constructor, Property, Type } from "../../dsl/kind.ts";
import { choice, integer, list, noneType, path, quantity, secret, string, union } from "../../dsl/types/type.ts";
import { vocabValue } from "./tokenizer-derived.ts";
import { seed } from "./seed.ts";

const key: Property = { type: union(secret, noneType), doc: "access token of the source" };

/** Ten times what any published tokenizer has: more is a slip of the hand. */
const most = 10_000_000;

const bytes: Constructor = {
  doc: "every byte is a token",
  parameters: {
    specials: {
      type: list(string),
      doc: "tokens in addition to the 256 bytes, the end of a document first",
      default: '["<|end|>"]',
    },
    multiple: { type: integer({ min: 1 }), doc: "the vocabulary is padded to a multiple of this", default: "1" },
  },
};

const bpe: Constructor = {
  doc: "byte-level byte-pair encoding, learned on the data",
  parameters: {
    vocab: {
      type: integer({ min: 260, max: most }),
      doc: "size of the vocabulary",
      required: true,
      also: ["vocab_size"],
    },
    specials: {
      type: list(string),
      doc: "special tokens, in the order of their ids; the first ends a document, unless `special` says which does",
      default: '["<|end|>"]',
    },
    sample: {
      type: quantity([{ byte: 1 }], { integer: true, min: 1 }),
      doc: "how much text it learns from",
      default: "100 MB",
    },
    min_count: {
      type: integer({ min: 1 }),
      doc: "how often a pair must occur to become a token",
      also: ["min_frequency"],
    },
  },
};

/** Tokenizers that somebody made before. */
const made: Readonly<Record<string, Constructor>> = {
  file: {
    doc: "a `tokenizer.json` of the project",
    parameters: {
      path: { type: path, doc: "where it is", required: true },
      vocab: {
        type: integer({ min: 1, max: most }),
        doc: "size of its vocabulary",
        required: true,
        also: ["vocab_size"],
      },
      end: { type: string, doc: "its token for the end of a document", default: '"<|end|>"' },
    },
    positional: ["path"],
  },
  tiktoken: {
    doc: "an encoding of OpenAI's tiktoken",
    runs: false,
    parameters: { name: { type: string, doc: 'its name: `"gpt2"`, `"cl100k_base"`', required: true } },
    positional: ["name"],
  },
  hf: {
    doc: "a tokenizer of the Hugging Face Hub, or a folder that holds one",
    parameters: {
      name: { type: path, doc: "owner/name on the Hub, or a path", required: true },
      vocab: { type: integer({ min: 1, max: most }), doc: "size of its vocabulary; the loaded tokenizer must fit" },
      end: { type: string, doc: "its token for the end of a document; by default its own" },
      pad: { type: string, doc: "its padding token", runs: false },
      revision: { type: string, doc: "branch, tag or commit" },
      key,
    },
    positional: ["name"],
  },
  sentencepiece: {
    doc: "a SentencePiece model",
    runs: false,
    parameters: {
      path: { type: path, doc: "the `.model` file", required: true },
      vocab: {
        type: integer({ min: 1, max: most }),
        doc: "size of its vocabulary",
        required: true,
        also: ["vocab_size"],
      },
    },
    positional: ["path"],
  },
};

/** How text becomes tokens. */
export const tokenizerChoice: Extract<Type, { kind: "choice" }> = {
  ...choice("tokenizer", { bytes, bpe, ...made }),
  ofText: (text) => {
    const written = JSON.stringify(text);
    if (text.endsWith(".json")) return `file(${written})`;
    if (/^(?:gpt2|r50k_base|p50k_base|cl100k_base|o200k_base)$/.test(text)) return `tiktoken(${written})`;
    return /^[\w.-]+(?:\/[\w.-]+)?$/.test(text) && !text.endsWith(".model") ? `hf(${written})` : null;
  },
};

const special: BlockKind = {
  name: "special",
  doc: "Special tokens, by their spelling; each must be a token of its own",
  runs: false,
  properties: {
    begin: { type: string, doc: "before a document" },
    end: { type: string, doc: "after a document" },
    pad: { type: string, doc: "padding; the loss excludes it" },
    unknown: { type: string, doc: "for unknown text" },
    mask: { type: string, doc: "for masked text" },
  },
  foreign: {
    eos: { instead: "write `end`", rewrite: (v) => `end = ${v}` },
    eos_token: { instead: "write `end`", rewrite: (v) => `end = ${v}` },
    bos: { instead: "write `begin`", rewrite: (v) => `begin = ${v}` },
    bos_token: { instead: "write `begin`", rewrite: (v) => `begin = ${v}` },
    pad_token: { instead: "write `pad`", rewrite: (v) => `pad = ${v}` },
    unk: { instead: "write `unknown`", rewrite: (v) => `unknown = ${v}` },
  },
};

const learned = { instead: "it belongs to how it is made: `learn = bpe(from = corpus.text, vocab = 32_000)`" };

export const tokenizer: BlockKind = {
  name: "tokenizer",
  also: ["vocab", "vocabulary"],
  doc: "A tokenizer that is made once and shared",
  step: true,
  begins: ["from"],
  properties: {
    learn: {
      type: choice("tokenizer", { bpe: learnedFromData(), bytes, ...made }),
      doc: "how it is learned, if this project makes it",
    },
    from: { type: choice("tokenizer", made), doc: "where it comes from, if it already exists" },
    vocab_multiple: {
      type: integer({ min: 1 }),
      doc: "the vocabulary is padded to a multiple of this: 128 fits matrix units and tensor parallelism",
      default: "1",
    },
    seed: seed("seed of the sample that it learns from"),
  },
  blocks: { special },
  derived: { vocab: { doc: "rows that a model's embedding needs", compute: vocabValue } },
  foreign: {
    vocab_size: learned,
    vocab: learned,
    data: learned,
    corpus: learned,
    text: learned,
    special_tokens: { instead: 'write `special { end = "…", pad = "…" }`' },
  },
};

function learnedFromData(): Constructor {
  return {
    ...bpe,
    parameters: {
      ...bpe.parameters,
      from: {
        type: { kind: "handle", kinds: ["data"], which: ["text", "train"] },
        doc: "the text it learns from: `corpus.text`",
        required: true,
      },
    },
  };
}
