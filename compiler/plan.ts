/** The plan: what `cdrc plan --json` prints, `plan.json` holds and engines lower. Bytes, seconds, plain counts. */
import type { Origin } from "../dsl/eval/origin.ts";
import type { EngineName, FamilyName, Preference } from "./pipeline.ts";

/** Experts in place of the feed-forward part. */
export interface MoeShape {
  readonly experts: number;
  readonly top_k: number;
  readonly d_ff: number;
  readonly shared_experts?: number;
  readonly shared_d_ff?: number;
  readonly first_dense?: number;
  readonly every?: number;
  /** Tokens an expert takes over an even share; 0 drops none. */
  readonly capacity?: number;
  readonly router_bias?: boolean;
  readonly aux_loss?: number;
}

/** Multi-head latent attention; `q_rank` 0 projects queries at once. */
export interface MlaShape {
  readonly q_rank: number;
  readonly kv_rank: number;
  readonly nope_dim: number;
  readonly rope_dim: number;
  readonly v_dim: number;
}

export interface SsmShape {
  readonly kind: "mamba" | "mamba2";
  readonly state: number;
  readonly groups?: number;
  readonly heads?: number;
  readonly head_dim?: number;
  readonly conv: number;
  readonly expand: number;
  readonly dt_rank?: number;
}

export interface RwkvShape {
  readonly head_dim: number;
  readonly decay_rank: number;
  readonly rate_rank: number;
  readonly value_rank: number;
  readonly gate_rank: number;
}

/**
 * A model with every property decided; the names are those of `contracts.md`. What a family does not have is absent; a
 * family without attention has 0 heads.
 */
export interface SizedModel {
  readonly family: FamilyName;
  readonly layers: number;
  readonly d_model: number;
  readonly heads: number;
  readonly kv_heads: number;
  readonly head_dim: number;
  readonly d_ff: number;
  readonly vocab: number;
  readonly context: number;
  readonly tied: boolean;
  readonly bias: boolean;
  readonly qkv_bias: boolean;
  readonly norm: "rms" | "layer";
  readonly norm_eps: number;
  readonly activation: "gelu" | "gelu_tanh" | "relu" | "relu2" | "silu";
  readonly gated: boolean;
  readonly qk_norm: boolean;
  readonly parallel_residual: boolean;
  readonly positions: "rope" | "learned" | "alibi" | "none";
  readonly rotary_fraction: number;
  readonly rope_theta: number;
  readonly dropout: number;
  readonly init_std: number;
  /** Tokens that a layer with a sliding window sees; 0 is all of them. */
  readonly window?: number;
  readonly norms?: number;
  /** One letter per layer. */
  readonly pattern?: string;
  readonly moe?: MoeShape;
  readonly mla?: MlaShape;
  readonly ssm?: SsmShape;
  readonly rwkv?: RwkvShape;
  readonly parameters: {
    readonly total: number;
    readonly active: number;
    readonly embedding: number;
    readonly non_embedding: number;
  };
  /** Per token of a training step, forward and backward. `hardware` adds what recomputation repeats. */
  readonly flops_per_token: { readonly model: number; readonly hardware: number };
}

export interface Layout {
  readonly world: number;
  readonly nodes: number;
  readonly gpus_per_node: number;
  readonly data_parallel: number;
  readonly tensor_parallel: number;
  readonly pipeline_parallel: number;
  readonly virtual_pipeline: number;
  readonly context_parallel: number;
  readonly expert_parallel: number;
  /** Ranks that share the matrices of each expert. */
  readonly expert_tensor_parallel: number;
  readonly sequence_parallel: boolean;
  readonly zero_stage: 0 | 1 | 2 | 3;
  /** Ranks that hold one copy of a sharded model between them, where that is not all. */
  readonly shard_over?: number;
  readonly recompute: "none" | "selective" | "full";
  /** Of `selective`, which parts of a layer; the attention core where absent. */
  readonly recompute_modules?: readonly string[];
  /** Of `full`, so many layers of each chunk of a stage. */
  readonly recompute_block?: number;
  /** Of `full`, layers that keep one input together. */
  readonly recompute_uniform?: number;
  readonly offload: "none" | "optimizer" | "all" | "activations";
  /** Of `activations`, the first so many layers. */
  readonly offload_layers?: number;
  /** Rows of the tables as ranks hold them, where padding makes them more than the model's. */
  readonly padded_vocab?: number;
  /** Parameters of the model with those rows. */
  readonly held_parameters?: number;
}

export interface Batch {
  readonly micro_batch: number;
  readonly accumulation: number;
  readonly global_batch: number;
  readonly sequence: number;
  readonly tokens_per_step: number;
}

export interface MemoryPlan {
  readonly capacity: number;
  readonly usable: number;
  readonly peak: number;
  /** Of all processes of a node together, in its own memory. */
  readonly host_peak: number;
  readonly checkpoint: number;
  readonly parts: {
    readonly weights: number;
    readonly gradients: number;
    readonly optimizer: number;
    readonly activations: number;
    readonly logits: number;
    readonly buffers: number;
    readonly runtime: number;
  };
  /** Of each stage of the pipeline; `parts` where the estimate has them by stage. */
  readonly ranks: readonly {
    readonly pipeline_stage: number;
    readonly peak: number;
    readonly parts?: MemoryPlan["parts"];
  }[];
  /** Half-width of the 80 % interval as a fraction; `null` where nothing was measured yet. */
  readonly error: number | null;
}

export interface TimePlan {
  readonly step: number;
  readonly tokens_per_second: number;
  readonly tokens_per_second_per_gpu: number;
  readonly mfu: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly error: number | null;
}

/** Of the whole run: steps, and all that stands beside them. */
export interface TotalPlan {
  readonly tokens: number;
  readonly steps: number;
  readonly hours: number;
  readonly gpu_hours: number;
  readonly cost: number | null;
  /** Where some nodes may be reclaimed: how many, and the price of a device-hour on the average of all. */
  readonly cost_per_device_hour?: number | null;
  readonly spot_nodes?: number;
  /** Hours, which add up to `hours`. */
  readonly parts: {
    readonly steps: number;
    readonly evaluation: number;
    readonly checkpoints: number;
    readonly loading: number;
    readonly failures: number;
    readonly start: number;
  };
  /** Unexpected interruptions to be expected, by a published rate. */
  readonly failures: number;
  /** At most; `null` where the power of the device is not known. */
  readonly energy_kwh: number | null;
  /** What the hours leave out, and why. */
  readonly uncounted: readonly string[];
}

export interface Alternative {
  /** Another one than the stage's, which names none. */
  readonly engine?: EngineName;
  readonly layout: Layout;
  readonly batch: Batch;
  readonly memory: { readonly peak: number };
  readonly time: { readonly step: number };
  readonly why_not: string;
}

export interface StagePlan {
  readonly name: string;
  readonly engine: EngineName;
  readonly model: SizedModel;
  readonly layout: Layout;
  readonly batch: Batch;
  readonly memory: MemoryPlan;
  readonly time: TimePlan;
  readonly total: TotalPlan;
  /** Parameters that have gradients, where those are not all. */
  readonly trained?: number;
  readonly alternatives: readonly Alternative[];
  /** Origin of each value by its dotted path in this object: `model.d_model`, `batch.accumulation`, `layout.zero_stage`. */
  readonly origins: Readonly<Record<string, Origin>>;
}

/** The stages together on another number of nodes; figures are `null` where they do not run on it. */
export interface ClusterSize {
  readonly nodes: number;
  readonly devices: number;
  readonly hours: number | null;
  readonly device_hours: number | null;
  readonly cost: number | null;
  readonly why_not: string;
}

/** How many nodes, where the file leaves it open. */
export interface ClusterChoice {
  readonly nodes: number;
  readonly prefer: Preference;
  readonly reason: string;
  readonly tried: readonly ClusterSize[];
}

export interface Plan {
  readonly stages: readonly StagePlan[];
  readonly cluster?: ClusterChoice;
}
