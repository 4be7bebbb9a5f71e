/** What starts a program of an engine, and what that needs on a node. */
import type { ModelConfig, CheckpointConfig, Expectation, TrainConfig } from "./programs.ts";

/** What the node agent knows of a stage whose engine brings its own program: `script` starts that on one node. */
export interface OwnProgramConfig {
  readonly format: 1;
  readonly step: string;
  /** Beside this file. */
  readonly script: string;
  readonly world: number;
  readonly model: Pick<ModelConfig, "parameters">;
  readonly batch: Pick<TrainConfig["batch"], "global_batch" | "sequence">;
  readonly length: Pick<TrainConfig["length"], "steps">;
  readonly checkpoint: CheckpointConfig;
  readonly expectations: readonly Expectation[];
  /** The interpreter that the script starts, and what must be installed for it. */
  readonly python: string;
  readonly needs: readonly PackageNeed[];
  readonly device: DeviceNeed | null;
  /** Files outside of the run that arguments name by their whole path, or without which they start nothing. */
  readonly files: readonly FileNeed[];
}

export interface FileNeed {
  readonly path: string;
  readonly because: string;
  /** A file of the run that does instead. */
  readonly unless?: string;
}

/** A package that rules ask for and that only the job's own environment can tell. */
export interface PackageNeed {
  readonly package: string;
  /** Its name in Python, where that is not its own. */
  readonly module?: string;
  /** `null`: any version. */
  readonly at_least: string | null;
  readonly because: string;
}

/** The least compute capability of the node's GPUs. */
export interface DeviceNeed {
  readonly capability: number;
  readonly because: string;
}
