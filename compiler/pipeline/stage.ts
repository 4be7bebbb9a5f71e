/** A stage: what it trains, how, and what of it was left open. */
import type { Span } from "../../dsl/source/source.ts";
import type { TokenizerConfig, WeightsConfig } from "../bundle/data-programs.ts";
import type { Expectation } from "../bundle/programs.ts";
import type { Document } from "../document.ts";
import type { chatTemplates } from "../kinds/data/source.ts";
import type { Details } from "../planner/details.ts";
import type {
  EvaluationLength,
  Length,
  NarrowSpec,
  OptimizerSpec,
  Period,
  Precision,
  ScheduleSpec,
  TuningSpec,
} from "./course.ts";
import type { Bound, Given, Settings } from "./given.ts";
import type { ModelRequest } from "./model.ts";
import type { Handle, Step } from "./steps.ts";

export type EngineName = "torch" | "deepspeed" | "megatron";

export type ChatTemplate = (typeof chatTemplates)[number];

/** Data that are messages with roles, which the engine turns into tokens itself. */
export interface Conversations {
  /** `null`: the file says by itself how turns are written out. */
  readonly template: ChatTemplate | null;
  readonly tokenizer: TokenizerConfig;
  /** The tokens that the loss counts. */
  readonly counts: "all" | "answers";
  /** Where the format is said. */
  readonly span: Span;
  /** Where the loss is said; the stage where it is not. */
  readonly lossSpan: Span;
}

export interface StageStep extends Step<"stage"> {
  readonly model: ModelRequest;
  readonly data: string;
  readonly conversations?: Conversations;
  readonly from: Handle | null;
  /** Weights of others that it begins with, where `from` names no step's. */
  readonly weights?: WeightsConfig;
  /** Another step reads its checkpoints, or it goes on from another's. */
  readonly linked?: true;
  /** Of several engines the fastest is taken, not the plainest that comes near it: something asks for little time or cost. */
  readonly isHurried?: true;
  /** `null`: the compiler chooses between those that do what the layout asks for. */
  readonly engine: Given<EngineName> | null;
  /** Options of `engine = torch(…)` and `engine = deepspeed(…)`. */
  readonly sharding: {
    /** Ranks that share one copy; `null`: all of them. */
    readonly over: Given<number> | null;
    readonly quantize: Given<readonly ("weights" | "gradients")[]> | null;
    readonly nvme: Given<string> | null;
    /** The release of DeepSpeed, as it was written. */
    readonly version?: Given<string>;
  };
  /** Options of `engine = megatron(…)`: its version as it was written, the folder of its programs, which of them, and its interpreter. */
  readonly megatron: {
    readonly version: Given<string> | null;
    /** Megatron Bridge instead of its own programs. */
    readonly entry?: Given<"bridge">;
    readonly root: string | null;
    readonly program: string | null;
    readonly python: string | null;
  };
  /** Tokens per sample. */
  readonly sequence: Given<number>;
  readonly length: Given<Length>;
  /** Samples or tokens per optimizer step, over all ranks; `auto`: the planner sizes it, within `batchBound`. */
  readonly batch: Given<{ readonly unit: "samples" | "tokens" | "auto"; readonly value: number }>;
  /** In samples. */
  readonly batchBound?: Bound;
  readonly optimizer: OptimizerSpec;
  readonly schedule: ScheduleSpec;
  readonly clip: number | null;
  readonly clipSpan?: Span;
  readonly precision: Given<Precision>;
  readonly narrow?: NarrowSpec;
  readonly tuning?: TuningSpec;
  /** The model that the stage learns from. */
  readonly teacher?: ModelRequest;
  readonly seed: number;
  readonly determinism: "default" | "bitwise";
  readonly attention: "sdpa" | "eager" | "flash_attention_2";
  readonly compile: boolean;
  /** `matmul = highest`: fp32 products take no shorter operands. */
  readonly exactProducts?: true;
  /** A mean of the weights is kept beside them. */
  readonly averaged?: true;
  readonly resume: "exact" | "weights" | "never";
  readonly resumeSpan?: Span;
  /** Pins and bounds in the plan's own names: `micro_batch`, `zero_stage`, `recompute`, `offload`, `tensor_parallel`, … */
  readonly layout: Settings;
  /** What it says beside the kinds of recomputation and offloading. */
  readonly details?: Details;
  readonly eval: { readonly every: Period; readonly length: EvaluationLength | null } | null;
  readonly log: { readonly every: Period };
  readonly checkpoint: {
    readonly every: Period | null;
    readonly keepLast: number | null;
    readonly keepBest: "val_loss" | null;
  } | null;
  /** Root under which run directories are made, relative to the project or absolute; the default is `runs`. */
  readonly root: string;
  readonly track: readonly ("console" | "tensorboard" | "wandb")[];
  readonly expectations: readonly Expectation[];
  /** Bounds on what it may take: `cost` in dollars, `time` in seconds. */
  readonly limits: Settings;
  /** `raw deepspeed { … }`: keys as the engine spells them. */
  readonly raw: Readonly<Record<string, Document>>;
  readonly rawSpans: ReadonlyMap<string, Span>;
  /** `raw megatron { … }`, likewise. */
  readonly rawMegatron: Readonly<Record<string, Document>>;
  readonly rawMegatronSpans: ReadonlyMap<string, Span>;
}
