/** Steps that read a checkpoint: `eval` and `sample`. */
import type { BlockKind, Property } from "../../dsl/kind.ts";
import {
  block,
  choice,
  handle,
  integer,
  list,
  number,
  path,
  quantity,
  share,
  string,
  union,
} from "../../dsl/types/type.ts";

const checkpointOf: Property = {
  type: handle(["stage"], ["last", "best"]),
  doc: "a checkpoint: `pretrain.last`",
  required: true,
};
const seed: Property = { type: integer({ min: 0 }), doc: "of every random choice", default: "42" };

export const evaluation: BlockKind = {
  name: "eval",
  doc: "A checkpoint's loss and perplexity on held-out text",
  properties: {
    model: checkpointOf,
    data: {
      type: union(handle(["data"], ["val", "train"]), block("data")),
      doc: "the text: `corpus.val`",
      required: true,
    },
    length: { type: quantity([{ batch: 1 }], { integer: true, min: 1 }), doc: "how much of it; all by default" },
    seed,
  },
  step: true,
  clauses: ["after", "on"],
};

export const sample: BlockKind = {
  name: "sample",
  doc: "Text that a checkpoint writes",
  properties: {
    model: checkpointOf,
    prompts: {
      type: union(
        list(string),
        choice("prompts", {
          file: {
            doc: "one prompt a line",
            parameters: { path: { type: path, doc: "the file", required: true } },
            positional: ["path"],
          },
        }),
      ),
      doc: "what it goes on from",
      required: true,
    },
    length: {
      type: quantity([{ token: 1 }], { integer: true, min: 1 }),
      doc: "tokens to write",
      default: "200 tokens",
    },
    temperature: { type: number({ min: 0 }), doc: "0 takes the likeliest token", default: "0.8" },
    top_k: { type: integer({ min: 1 }), doc: "choose among so many" },
    top_p: { type: share("the probability"), doc: "choose among the likeliest that hold this share" },
    seed,
  },
  step: true,
  clauses: ["after", "on"],
};
