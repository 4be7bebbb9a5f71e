import type { BlockKind, Property, Type } from "../../../dsl/kind.ts";
import {
  autoType,
  block,
  choice,
  enumeration,
  integer,
  noneType,
  quantity,
  secret,
  string,
  union,
} from "../../../dsl/types/type.ts";

const tokenCount = quantity([{ token: 1 }], { integer: true, min: 1 });

const generators: Type = choice("source", {
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
  random: {
    doc: "tokens drawn at random, to try a chain without data",
    runs: false,
    parameters: {
      tokens: { type: tokenCount, doc: "how many", required: true },
      vocab: { type: integer({ min: 2 }), doc: "drawn from so many ids; the tokenizer's vocabulary by default" },
      seed: { type: integer({ min: 0 }), doc: "of the draw", default: "42" },
    },
  },
});

const place: Type = { kind: "path", schemes: ["hf"] };

export const from: Property = {
  type: union(place, generators, block("data"), {
    kind: "list",
    element: place,
    ofBlocks: "Mix them by `source` blocks: `source web { from = web, weight = 80% }`.",
  }),
  doc: 'where the text is: a path or glob (`"corpus/**/*.md"`), `"hf://owner/name"`, a store (`bucket / "x"`), or `python_stdlib`',
};
export const column: Property = { type: string, doc: "column or key that holds the text", default: '"text"' };
export const key: Property = { type: union(secret, noneType), doc: "access token of the source" };

/** Those after the tokenizer's own are the prompt formats of megatron/core/tokenizers/text/libraries/sft_tokenizer.py. */
export const chatTemplates = ["tokenizer", "contents", "nemotron_h_aligned", "nemotron_nano_v2"] as const;

/** What the files of a source hold, where their names do not say it. */
export const format: Property = {
  type: union(
    autoType,
    choice("format", {
      text: {
        doc: "rows with a text",
        runs: false,
        parameters: { column: { type: string, doc: "the column that holds it", default: '"text"' } },
        positional: ["column"],
      },
      npz: {
        doc: "NumPy archives of token ids, tokenised before",
        runs: false,
        parameters: {
          ids: { type: string, doc: "the array of ids", default: '"input_ids"' },
          mask: { type: string, doc: "the array that marks what is no padding" },
          lengths: { type: string, doc: "the array of lengths" },
        },
      },
      chat: {
        doc: "conversations: rows with a list of messages, each with its `role` and `content`",
        parameters: {
          turn: {
            type: rowText(),
            doc: "how a turn is written out; by `template` where it is not said",
            runs: false,
          },
          template: {
            type: enumeration("template", chatTemplates),
            doc: "who says how turns are written out: the tokenizer's own chat template, nobody (their contents alone), or Nemotron's",
            default: "tokenizer",
          },
          column: { type: string, doc: "the key or column that holds the messages", default: '"messages"' },
        },
      },
      preferences: {
        doc: "prompts, each with an answer that was preferred and one that was not: what `dpo` learns from",
        runs: false,
        parameters: {
          prompt: { type: rowText(), doc: "how the prompt is written out", required: true },
          chosen: { type: rowText(), doc: "how the answer that was preferred is written out", required: true },
          rejected: { type: rowText(), doc: "how the other one is written out", required: true },
        },
      },
      pairs: {
        doc: "prompts and answers; the loss counts the answers",
        runs: false,
        parameters: {
          prompt: { type: rowText(), doc: "how the prompt is written out", required: true },
          answer: { type: rowText(), doc: "how the answer is written out", required: true },
        },
      },
    }),
  ),
  doc: "what the files hold; `auto` goes by the ending: `.txt`, `.md`, `.jsonl`, `.parquet`, `.csv`",
  default: "auto",
};

/** A text with fields of a row in it: `"<|${row.role}|>"`. */
function rowText(): Type {
  return {
    kind: "formula",
    names: { "row.*": { doc: "a field of the row", type: string } },
    result: string,
  };
}

export const source: BlockKind = {
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
    tokens: { type: tokenCount, doc: "how many tokens there are, where it is known" },
    stream: { type: { kind: "bool" }, doc: "read while training; the data's by default", runs: false },
    column,
    key,
  },
};
