import type { Module } from "../../planner/physics/layout.ts";
import type { SparedStage } from "../engine.ts";
import { groupsExperts } from "./grouped.ts";

/**
 * The activations of experts, which run as one grouped product (megatron/core/transformer/moe/experts.py: TEGroupedMLP). Norms only where
 * they are modules of their own: most are a part of the product behind them (megatron/core/models/gpt/gpt_layer_specs.py). In FP8 some
 * recipes and releases of Transformer Engine refuse both (megatron/core/transformer/transformer_config.py: __post_init__).
 */
export const spared = ({ model, narrow, cluster }: SparedStage): readonly Module[] =>
  narrow !== undefined || model.ssm !== undefined || model.moe === undefined || !groupsExperts(cluster.device)
    ? []
    : ["moe_act"];
