/** What a model that remembers and reconsiders has beside its backbone. */
import type { BlockKind } from "../../../dsl/kind.ts";
import {
  bool,
  choice,
  enumeration,
  formulaOver,
  integer,
  list,
  number,
  path,
  quantity,
} from "../../../dsl/types/type.ts";

const tokens = quantity([{ token: 1 }], { integer: true, min: 1 });
const moment = enumeration("moment", ["on_accept", "always", "never"]);

const working: BlockKind = {
  name: "working",
  doc: "A running summary of the text so far",
  properties: {
    every: { type: tokens, doc: "tokens between two summaries", required: true },
    width: { type: integer({ min: 1 }), doc: "width of a summary", required: true },
  },
};

const episodic: BlockKind = {
  name: "episodic",
  doc: "Stored summaries, retrieved by similarity",
  properties: {
    index: {
      type: choice("index", {
        faiss: { doc: "FAISS", parameters: {} },
        exact: { doc: "every distance is computed", parameters: {} },
      }),
      doc: "how neighbours are found",
      default: "exact",
    },
    top_k: { type: integer({ min: 1 }), doc: "number of retrieved summaries", required: true },
    window: { type: tokens, doc: "how far back it reaches", required: true, binary: true },
    write: { type: moment, doc: "when one is stored", default: "on_accept" },
    to: { type: path, doc: "where it is kept between runs; nowhere by default" },
  },
};

export const memory: BlockKind = {
  name: "memory",
  doc: "Memory that the model can write and read",
  runs: false,
  properties: {},
  blocks: { working, episodic },
};

export const controller: BlockKind = {
  name: "controller",
  doc: "Tries several continuations and keeps one",
  runs: false,
  properties: {
    branches: { type: integer({ min: 1 }), doc: "continuations that are tried at once", required: true },
    depth: { type: quantity([{ step: 1 }, {}], { integer: true, min: 1 }), doc: "most steps of one", required: true },
    accept: {
      type: formulaOver(
        {
          advantage: { doc: "value of a continuation minus that of none", type: number() },
          value: { doc: "the prediction of the value head", type: number() },
        },
        { kind: "bool" },
        "controller",
      ),
      doc: "when one is kept: `advantage >= 0`",
      required: true,
    },
    reject: {
      type: enumeration("way back", ["rollback", "keep"]),
      doc: "what happens to memory and adapters if none is kept",
      default: "rollback",
    },
  },
};

export const readout: BlockKind = {
  name: "readout",
  doc: "Heads in addition to the one that predicts tokens",
  runs: false,
  properties: {
    policy: {
      type: list(enumeration("memory operation", ["summarize", "retrieve", "splice_window", "cache_write"])),
      doc: "operations that a head chooses among",
    },
    value: { type: bool, doc: "whether a head predicts the reward", default: "false" },
  },
};
