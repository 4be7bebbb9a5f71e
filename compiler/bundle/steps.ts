/** `steps.json` of a bundle: what there is to run and in which order, so that a bundle says of itself all that a launcher needs. */
import type { Program } from "./programs.ts";

export interface StepInput {
  /** The name the program knows it by: `data`, `from`, `model`, `tokenizer`. */
  readonly name: string;
  /** The step that makes it. */
  readonly step: string;
  /** `result`: what is under `result/`; otherwise a checkpoint, `step-100` that of a step. */
  readonly which: "result" | "last" | "best" | `step-${number}`;
}

export interface StepRun {
  readonly name: string;
  readonly kind: "tokenizer" | "data" | "stage" | "eval" | "sample" | "measure";
  /** One of the trainer's programs, or Megatron's own, which a script beside `config` starts. */
  readonly program: Program | "megatron";
  /** The program's configuration and the files beside it, relative to the bundle: together with the inputs they decide the result. */
  readonly config: string;
  readonly files: readonly string[];
  readonly nodes: number;
  /** Processes per node. */
  readonly processes: number;
  readonly device: "gpu" | "cpu";
  readonly inputs: readonly StepInput[];
  /** Where run directories go: relative to the project, or absolute. */
  readonly root: string;
  /** Shown while it runs: what is counted, how many there are, the estimate to compare with. */
  readonly total: number | null;
  readonly unit: "steps" | "bytes" | "batches" | "prompts" | "measurements";
  readonly estimate: { readonly memory: number; readonly step_seconds: number } | null;
}

/** Does it train: save when asked to, and go on from there? */
export function isTraining({ program }: Pick<StepRun, "program">): boolean {
  return program === "train" || program === "megatron";
}

/** A file of a bundle; the text is complete, paths use `/`. */
export interface BundleFile {
  readonly path: string;
  readonly text: string;
  readonly executable?: boolean;
}

/** Everything `cdrc compile` writes and `cdrc run` starts from. */
export interface Bundle {
  readonly files: readonly BundleFile[];
  readonly steps: readonly StepRun[];
}
