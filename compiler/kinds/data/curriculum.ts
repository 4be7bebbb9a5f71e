import type { BlockKind } from "../../../dsl/kind.ts";
import { number, quantity, share, union } from "../../../dsl/types/type.ts";

const phase: BlockKind = {
  name: "phase",
  doc: "The mixture up to a point of the run; it may amend the data: `web.weight = 40`",
  properties: {
    until: {
      type: union(share("the run"), quantity([{ step: 1 }, { token: 1 }], { min: 0 })),
      doc: "where it ends",
      required: true,
    },
    sequence: {
      type: quantity([{ token: 1 }], { integer: true, min: 1 }),
      doc: "length of samples; the data's by default",
    },
    temperature: {
      type: number({ above: 0 }),
      doc: "weights are raised to one over this: above 1 evens them out, below 1 sharpens them",
      default: "1.0",
    },
    difficulty: {
      type: { kind: "range", element: number({ min: 0, max: 1 }) },
      doc: "how hard documents may be, 0 to 1",
    },
  },
  amends: true,
};

export const curriculum: BlockKind = {
  name: "curriculum",
  doc: "Changes of the mixture during the run: phases, one after another",
  runs: false,
  properties: {},
  nested: { phase },
};
