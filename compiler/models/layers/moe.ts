import type { Condition, Part, Saved, Tensor } from "../family.ts";
import { gatedMlp, mlp } from "./mlp.ts";

interface Options {
  readonly at?: string;
  readonly gated: boolean;
  /** Biases of the experts' matrices. */
  readonly bias?: true;
  /** The router's bias: learned, or a correction that balances the load by a rule (DeepSeek-V3, arXiv 2412.19437, 2.1.2). */
  readonly routerBias?: "learned" | "correction";
  /** The router multiplies in 32 bits whatever the model runs in. */
  readonly wideRouter?: true;
  /** The module of the experts that all tokens pass through. */
  readonly shared?: string;
  readonly sharedBias?: Condition;
}

const perExpert = ["moe.experts"] as const;

/** A router and its experts, of which each token passes through `top_k`, and experts that all tokens pass through. */
export function moe({ at = "mlp", gated, bias, routerBias, wideRouter, shared, sharedBias }: Options): Part {
  const wide = gated ? ([2, "moe.d_ff"] as const) : "moe.d_ff";
  const up = gated ? "gate_up_proj" : "up_proj";
  const expert = (name: string, shape: Tensor["shape"], split: Tensor["split"], role: Tensor["role"]): Tensor => ({
    name: `${at}.experts.${name}`,
    role,
    shape: [...perExpert, ...shape],
    split: ["expert", ...(split ?? [])],
    routed: true,
  });
  const correction: Partial<Tensor> = routerBias === "correction" ? { buffer: true } : {};
  const whenShared: Condition = "has:moe.shared_experts";
  const sharedWidth = ["moe.shared_experts", "moe.shared_d_ff"] as const;
  const options = {
    at: `${at}.${shared ?? ""}`,
    width: sharedWidth,
    ...(sharedBias === undefined ? {} : { bias: sharedBias }),
  };
  const always = gated ? gatedMlp(options) : mlp(options);
  return {
    tensors: [
      { name: `${at}.router.weight`, role: "matrix", shape: ["d_model", "moe.experts"] },
      ...(routerBias === undefined
        ? []
        : [
            {
              name: `${at}.router.bias`,
              role: "bias",
              shape: ["moe.experts"],
              when: "moe.router_bias",
              ...correction,
            } as const,
          ]),
      expert(up, ["d_model", wide], [null, "tensor"], "matrix"),
      expert("down_proj", ["moe.d_ff", "d_model"], ["tensor", null], "matrix"),
      ...(bias === undefined
        ? []
        : [expert(`${up}_bias`, [wide], ["tensor"], "bias"), expert("down_proj_bias", ["d_model"], [null], "bias")]),
      ...(shared === undefined ? [] : always.tensors.map((tensor) => onlyWith(tensor, whenShared))),
    ],
    saved: [
      ...routedSaved(gated, wideRouter === true),
      ...(shared === undefined ? [] : always.saved.map((saved) => onlyWith(saved, whenShared))),
    ],
  };
}

function onlyWith<T extends Tensor | Saved>(part: T, condition: Condition): T {
  const { when = [] } = part;
  return { ...part, when: [...(Array.isArray(when) ? (when as Condition[]) : [when as Condition]), condition] };
}

/** Each token is copied to each of its experts and comes back weighted. */
function routedSaved(gated: boolean, wideRouter: boolean): Saved[] {
  const inner = ["moe.top_k", "moe.d_ff"] as const;
  return [
    { name: "input of the experts", size: "d_model", width: "compute" },
    ...(wideRouter ? [{ name: "router's input, fp32", size: "d_model", width: "wide" } as const] : []),
    { name: "router's scores", size: "moe.experts", width: 4 },
    { name: "tokens sent to experts", size: ["moe.top_k", "d_model"], width: "compute" },
    ...(gated
      ? ([
          { name: "gate and up of the experts", size: [2, inner], width: "compute" },
          { name: "activation output of the experts", size: inner, width: "compute" },
          { name: "gated product of the experts", size: inner, width: "compute" },
        ] as const)
      : ([{ name: "activation input and output of the experts", size: [2, inner], width: "compute" }] as const)),
    { name: "outputs of experts before their weights", size: ["moe.top_k", "d_model"], width: "compute" },
  ];
}
