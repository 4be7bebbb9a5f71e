import type { Constructor } from "../../../dsl/kind.ts";
import { duration, integer } from "../../../dsl/types/type.ts";

export const local: Constructor = {
  doc: "this machine, under torchrun",
  parameters: {
    processes: { type: integer({ min: 1 }), doc: "processes; one per device of the cluster by default" },
    gpus: { type: integer({ min: 0 }), doc: "GPUs of this machine, one process each" },
    grace: { type: duration, doc: "how long a stop may take to save", default: "2 min" },
  },
};
