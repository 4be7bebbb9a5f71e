import type { BlockKind, Constructor, Property, Type } from "../../dsl/kind.ts";
import {
  block,
  bool,
  choice,
  enumeration,
  integer,
  list,
  noneType,
  path,
  quantity,
  secret,
  share,
  string,
  union,
} from "../../dsl/types/type.ts";

const tokenCount = quantity([{ token: 1 }], { integer: true, min: 1 });

const learned: Record<string, Constructor> = {
  bytes: {
    doc: "every byte is a token",
    parameters: {
      specials: {
        type: list(string),
        doc: "tokens beside the 256 bytes, the end of a document first",
        default: '["<|end|>"]',
      },
      multiple: { type: integer({ min: 1 }), doc: "the vocabulary is padded to a multiple of this", default: "1" },
    },
  },
  bpe: {
    doc: "byte-level byte-pair encoding, learned on the data",
    parameters: {
      vocab: { type: integer({ min: 260 }), doc: "size of the vocabulary", required: true },
      specials: { type: list(string), doc: "special tokens, the end of a document first", default: '["<|end|>"]' },
      sample: {
        type: quantity([{ byte: 1 }], { integer: true, min: 1 }),
        doc: "how much text it learns from",
        default: "100 MB",
      },
    },
  },
  file: {
    doc: "a `tokenizer.json` of the project",
    parameters: {
      path: { type: path, doc: "where it is", required: true },
      vocab: { type: integer({ min: 1 }), doc: "size of its vocabulary", required: true },
      end: { type: string, doc: "its token for the end of a document", default: '"<|end|>"' },
    },
    positional: ["path"],
  },
};

/** How text becomes tokens. */
export const tokenizerChoice: Type = choice("tokenizer", learned);

/** Where text comes from: paths and globs, the Hub, or what every Python has. */
const sourceType: Type = union(
  path,
  choice("source", {
    python_stdlib: {
      doc: "the text that comes with every Python: its standard library",
      parameters: {
        part: {
          type: enumeration("part", ["source", "docs"]),
          doc: "programs, or documentation strings",
          default: "source",
        },
      },
      positional: ["part"],
    },
  }),
  list(path),
);

const from: Property = {
  type: sourceType,
  doc: 'where the text is: a path or glob (`"corpus/**/*.md"`), `"hf://owner/name"`, or `python_stdlib`',
};
const column: Property = { type: string, doc: "column or key that holds the text", default: '"text"' };
const key: Property = { type: union(secret, noneType), doc: "access token of the source" };

const source: BlockKind = {
  name: "source",
  doc: "One part of a mixture",
  properties: {
    from: { ...from, required: true },
    weight: {
      type: quantity([{}], { min: 0, percent: "the mixture" }),
      doc: "its share: all `%` (summing to 100 %) or all plain parts",
      default: "1",
    },
    epochs: {
      type: union(quantity([{ epoch: 1 }], { min: 0 }), quantity([{}], { min: 0 })),
      doc: "most passes over it",
      bounded: true,
    },
    column,
    key,
  },
};

const split: BlockKind = {
  name: "split",
  doc: "What is held out",
  properties: {
    val: { type: share("the documents"), doc: "held out for validation", default: "1%" },
    train: { type: share("the documents"), doc: "for training; what is left over" },
    seed: { type: integer({ min: 0 }), doc: "of the choice", default: "42" },
  },
};

export const data: BlockKind = {
  name: "data",
  doc: "Text, made into packed token sequences: read, tokenised, split and written once, then mapped from disk",
  properties: {
    from,
    column,
    key,
    tokenizer: { type: union(tokenizerChoice, block("tokenizer")), doc: "how text becomes tokens", default: "bytes" },
    sequence: { type: tokenCount, doc: "length of a packed sample; usually the model's context" },
    pack: {
      type: choice("packing", {
        documents: {
          doc: "documents one after another",
          parameters: { end: { type: bool, doc: "an end token after each", default: "true" } },
        },
      }),
      doc: "how documents fill sequences",
      default: "documents",
    },
    shuffle: { type: bool, doc: "whether documents are shuffled before packing", default: "true" },
    seed: { type: integer({ min: 0 }), doc: "of shuffling and mixing", default: "42" },
    tokens: { type: tokenCount, doc: "how many tokens there are, where it is known; a `length` in epochs needs it" },
    limit: { type: quantity([{ file: 1 }], { integer: true, min: 1 }), doc: "read so many files only" },
  },
  blocks: { split },
  nested: { source },
  step: true,
  handles: ["train", "val", "text"],
};

export const tokenizer: BlockKind = {
  name: "tokenizer",
  step: true,
  doc: "A tokenizer that is learned once and shared",
  properties: {
    learn: {
      type: choice("tokenizer", {
        bpe: learnedFromData(),
        bytes: learned.bytes as Constructor,
        file: learned.file as Constructor,
      }),
      doc: "how it is made",
      required: true,
    },
    seed: { type: integer({ min: 0 }), doc: "of the sample it learns from", default: "42" },
  },
};

function learnedFromData(): Constructor {
  const bpe = learned.bpe as Constructor;
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
