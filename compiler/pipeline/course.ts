/** How a stage trains. */
import type { Span } from "../../dsl/source/source.ts";
import type { Given } from "./given.ts";

export type Length =
  | { readonly unit: "steps"; readonly value: number }
  | { readonly unit: "tokens"; readonly value: number }
  | { readonly unit: "samples"; readonly value: number }
  | { readonly unit: "epochs"; readonly value: number };

/** How much of the validation split an evaluation takes; the samples are those of all replicas together. */
export interface EvaluationLength {
  readonly unit: "batches" | "samples";
  readonly value: number;
}

export type Period = { readonly unit: "steps" | "tokens" | "seconds"; readonly value: number };

export interface OptimizerSpec {
  /** A constructor of the language, or a plugin; the trainer has `adamw`. */
  readonly name: string;
  readonly lr: number;
  readonly betas: readonly [number, number];
  readonly eps: number;
  readonly weightDecay: number;
  /** Of `sgd` and `muon`; a momentum that moves has none. */
  readonly momentum?: number;
  /** Of `muon`; `rates` are those of all other parameters, one or one for each group, and `betas` and `eps` are what moves these. */
  readonly muon?: {
    readonly nesterov: boolean;
    readonly iterations: number;
    readonly rates: readonly number[];
  };
  readonly span: Span;
}

/** Arithmetic of products; the narrow ones leave everything else in bf16. */
export type Precision = "fp32" | "bf16" | "fp16" | "fp8" | "fp4";

/** How `fp8` and `fp4` scale, where it was said, and whether weights are kept so. */
export interface NarrowSpec {
  readonly recipe: Given<string> | null;
  readonly weights: boolean;
}

/** What of a model is trained, where that is not all of it. */
export interface TuningSpec {
  /** Low-rank adapters beside the matrices of these parts; all weights are frozen then, and held in four bits where `quantized`. */
  readonly adapters: {
    readonly rank: number;
    /** An update counts `alpha / rank`. */
    readonly alpha: number;
    readonly dropout: number;
    readonly targets: readonly string[];
    readonly quantized: boolean;
    readonly span: Span;
  } | null;
  /** A share of the layers, from the input on, and whether the tables stay too. */
  readonly freeze: { readonly lower: number; readonly tables: boolean } | null;
}

export interface ScheduleSpec {
  /** A constructor of the language, or a plugin; the trainer has `cosine`, `linear`, `constant` and `wsd`. */
  readonly name: string;
  /** Steps, or a fraction of the run. */
  readonly warmup: { readonly unit: "steps" | "fraction" | "tokens"; readonly value: number };
  readonly cooldown: { readonly unit: "steps" | "fraction" | "tokens"; readonly value: number };
  /** Last rate over the first. */
  readonly to: number;
  readonly span: Span;
}
