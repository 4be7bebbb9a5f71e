import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { BlockKind, Property } from "../../../dsl/kind.ts";
import { bool, enumeration, integer, number } from "../../../dsl/types/type.ts";
import { unknown } from "../../../dsl/types/value.ts";
import type { Group } from "../../models/family.ts";
import { isKnown } from "../../passes/size/properties.ts";
import { renamed } from "./foreign.ts";
import { hasGroup, shapeValue } from "../model-derived.ts";

const whole = (doc: string, min = 1): Property => ({ type: integer({ min }), doc, bounded: true });

/** A group whose figures the family gives where nobody writes them. */
const ofFamily = (group: BlockKind & { readonly name: Group }): BlockKind => ({
  ...group,
  held: (model) => hasGroup(model, group.name),
  derived: Object.fromEntries(
    Object.entries(group.properties).flatMap(([name, { doc }]) => {
      const path = `${group.name}.${name}`;
      if (!isKnown(path)) return [];
      return [
        [name, { doc, compute: ({ parent }: Instance) => (parent === null ? unknown : shapeValue(parent, path)) }],
      ];
    }),
  ),
});

export const moe: BlockKind = ofFamily({
  name: "moe",
  doc: "Experts instead of the feed-forward part",
  properties: {
    experts: whole("experts of a layer, of which a router picks some for each token"),
    top_k: whole("experts that each token passes through"),
    d_ff: whole("inner width of one expert"),
    shared_experts: whole("experts that every token passes through", 0),
    shared_d_ff: whole("inner width of one shared expert"),
    first_dense: whole("layers at the start that have one feed-forward part and no experts", 0),
    every: whole("of each group of this number of layers, the last has experts"),
    capacity: {
      type: number({ above: 0 }),
      doc: "capacity of an expert relative to an even share of the tokens; tokens beyond it skip the expert",
      runs: false,
    },
    router_bias: { type: bool, doc: "whether the router has a bias per expert" },
    aux_loss: { type: number({ min: 0 }), doc: "weight of the loss that balances the experts" },
  },
  foreign: renamed(
    {
      experts: ["n_experts", "num_experts", "num_local_experts", "n_routed_experts", "num_moe_experts", "routed"],
      top_k: ["num_experts_per_tok", "moe_router_topk", "topk", "k", "active", "active_experts"],
      d_ff: ["d_expert", "expert_ff", "expert_hidden", "moe_intermediate_size", "intermediate_size", "hidden"],
      shared_experts: ["shared", "n_shared_experts", "num_shared_experts"],
      shared_d_ff: ["shared_expert_intermediate_size", "shared_intermediate_size"],
      capacity: ["capacity_factor", "expert_capacity_factor"],
      aux_loss: ["aux_loss_coef", "router_aux_loss_coef", "load_balance_weight"],
    },
    (here, value) => `${here} = ${value}`,
  ),
});

export const mla: BlockKind = ofFamily({
  name: "mla",
  doc: "Multi-head latent attention: keys and values come from a narrow vector per token",
  properties: {
    q_rank: whole("width of the queries' latent vector; 0 projects them directly", 0),
    kv_rank: whole("width of the latent vector of keys and values"),
    nope_dim: whole("part of a head without positions"),
    rope_dim: whole("part of a head that is rotated"),
    v_dim: whole("width of a head's values"),
  },
});

export const ssm: BlockKind = ofFamily({
  name: "ssm",
  doc: "State-space layers",
  properties: {
    kind: { type: enumeration("state space", ["mamba", "mamba2"]), doc: "which recurrence" },
    state: whole("states of each channel"),
    groups: whole("groups of heads that share B and C"),
    heads: whole("heads of the recurrence"),
    head_dim: whole("width of one of its heads"),
    conv: whole("reach of the short convolution"),
    expand: { type: number({ above: 0 }), doc: "inner width over the model's" },
    dt_rank: whole("rank of the step size's projection"),
  },
});

export const rwkv: BlockKind = ofFamily({
  name: "rwkv",
  doc: "RWKV-7 layers",
  properties: {
    head_dim: whole("width of a head, and of its square state"),
    decay_rank: whole("rank of the decay's projection"),
    rate_rank: whole("rank of the in-context learning rate's projection"),
    value_rank: whole("rank of the projection that mixes in the first layer's values"),
    gate_rank: whole("rank of the output gate's projection"),
  },
});
