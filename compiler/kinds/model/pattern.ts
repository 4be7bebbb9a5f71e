/** How kinds of layers follow each other: letters, or a rule that gives as many as there are layers. */
import type { Constructor, Property, Type } from "../../../dsl/kind.ts";
import { most } from "../../passes/size/most.ts";
import { choice, integer, sequence, share, union } from "../../../dsl/types/type.ts";

/** Kinds of layers and their letters. */
export const letters = { attention: "*", mamba: "M", mlp: "-", moe: "E", rwkv: "R" } as const;
export type LayerKind = keyof typeof letters;

const per = (type: Type, doc: (kind: string) => string): Record<string, Property> =>
  Object.fromEntries(Object.keys(letters).map((kind) => [kind, { type, doc: doc(kind) }]));

const span: Property = { type: share("the layers"), doc: "share of all layers", default: "100%" };

const interleave: Constructor = {
  doc: "a group of layers, repeated: `interleave(rwkv = 3, attention = 1)`",
  parameters: { ...per(integer({ min: 0 }), (kind) => `layers of ${kind} in a group, in the order written`), span },
};

const stack: Constructor = {
  doc: "all of one kind, then all of the next: `stack(rwkv = 75%, attention = 25%)`",
  parameters: { ...per(share("the span"), (kind) => `share of ${kind}, in the order written`), span },
};

const rules: Type = choice("pattern", { interleave, stack });

const perLayer: Type = {
  kind: "string",
  form: {
    words: `a letter for each of at most ${most.layers} layers`,
    pattern: new RegExp(`^.{1,${most.layers}}$`, "s"),
  },
};

export const pattern: Type = union(perLayer, rules, sequence(rules));
