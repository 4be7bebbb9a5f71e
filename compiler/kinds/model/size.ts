import type { Constructor, Property } from "../../../dsl/kind.ts";
import { block, quantity, share } from "../../../dsl/types/type.ts";
import { most } from "../../passes/size/most.ts";

/** Far above what anybody trains; beyond it the sizer would search for nothing. */
const params = quantity([{ param: 1 }], { min: 1, max: most.parameters });
const within: Property = { type: share("the target"), doc: "tolerance of the count", default: "1%" };

/** What a model says of its shape stands beside its size, pinned or bounded. */
const besideSize = (name: string): string =>
  `\`${name}\` beside \`size\`, in the model: it fixes one property, and the sizer chooses the rest`;

export const auto: Constructor = {
  doc: "let the sizer choose layers, width and heads for a number of parameters, or for a budget",
  parameters: {
    total: { type: params, doc: "all parameters" },
    active: { type: params, doc: "parameters that one token passes through; with `total`, experts make up the rest" },
    tokens: {
      type: quantity([{ token: 1 }], { min: 1 }),
      doc: "tokens of the training, for the compute-optimal size",
    },
    compute: {
      type: quantity([{ flop: 1 }], { min: 1 }),
      doc: "FLOPs of the whole training, for the compute-optimal size",
    },
    gpu_hours: {
      type: quantity([{ second: 1 }], { min: 1 }),
      doc: "device-hours on `on`, for the compute-optimal size",
    },
    cost: {
      type: quantity([{ usd: 1 }], { min: 0 }),
      doc: "price of the training on `on`, for the compute-optimal size",
    },
    time: {
      type: quantity([{ second: 1 }], { min: 1 }),
      doc: "hours of the whole cluster `on`, for the compute-optimal size",
    },
    on: { type: block("cluster"), doc: "the cluster that `gpu_hours`, `cost` and `time` refer to" },
    use: {
      type: share("the devices' peak"),
      doc: "utilization of the devices' peak; by default that of the plan of the model's stage",
    },
    ratio: { type: quantity([{ token: 1, param: -1 }], { above: 0 }), doc: "tokens for each parameter of a budget" },
    within,
  },
  foreign: Object.fromEntries(
    ["layers", "d_model", "heads", "kv_heads", "head_dim", "d_ff", "vocab", "context"].map((name) => [
      name,
      besideSize(name),
    ]),
  ),
};
