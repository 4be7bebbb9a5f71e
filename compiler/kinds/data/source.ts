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
import { seed } from "../seed.ts";

const tokenCount = quantity([{ token: 1 }], { integer: true, min: 1 });

const generators: Type = choice("source", {
  python_stdlib: {
    doc: "the source code of Python's standard library, which every installation has",
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
    doc: "random tokens, to test a pipeline without data",
    runs: false,
    parameters: {
      tokens: { type: tokenCount, doc: "how many", required: true },
      vocab: { type: integer({ min: 2 }), doc: "number of ids to draw from; the tokenizer's vocabulary by default" },
      seed: seed("seed of the draw"),
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
        doc: "NumPy archives of token ids, already tokenised",
        runs: false,
        parameters: {
          ids: { type: string, doc: "the array of ids", default: '"input_ids"' },
          mask: { type: string, doc: "the attention mask, which excludes padding" },
          lengths: { type: string, doc: "the array of lengths" },
        },
      },
      chat: {
        doc: "conversations: rows with a list of messages, each with its `role` and `content`",
        parameters: {
          turn: {
            type: rowText(),
            doc: "how a turn is rendered; by `template` by default",
            runs: false,
          },
          template: {
            type: enumeration("template", chatTemplates),
            doc: "the template that renders turns: the tokenizer's own chat template, none (only their contents), or Nemotron's",
            default: "tokenizer",
          },
          column: { type: string, doc: "the key or column that holds the messages", default: '"messages"' },
        },
      },
      preferences: {
        doc: "prompts, each with a preferred and a rejected answer, as `dpo` needs them",
        runs: false,
        parameters: {
          prompt: { type: rowText(), doc: 'how the prompt is written out: `"${row.prompt}"`', required: true },
          chosen: { type: rowText(), doc: 'how the preferred answer is rendered: `"${row.chosen}"`', required: true },
          rejected: {
            type: rowText(),
            doc: 'how the rejected answer is rendered: `"${row.rejected}"`',
            required: true,
          },
        },
      },
      pairs: {
        doc: "prompts and answers; the loss counts only the answers",
        runs: false,
        parameters: {
          prompt: { type: rowText(), doc: 'how the prompt is written out: `"${row.prompt}"`', required: true },
          answer: { type: rowText(), doc: 'how the answer is rendered: `"${row.answer}"`', required: true },
        },
      },
    }),
  ),
  doc: "format of the files; `auto` uses the file name: `.txt`, `.md`, `.jsonl` (each also as `.gz`, `.bz2`, `.xz`, `.zst`), `.parquet`, `.csv`",
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
      doc: "maximum number of passes over it",
      bounded: true,
    },
    tokens: { type: tokenCount, doc: "number of tokens, if known" },
    stream: { type: { kind: "bool" }, doc: "streamed during training; the data's setting by default", runs: false },
    column,
    key,
  },
};
