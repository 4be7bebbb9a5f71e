/** What the runtime asks of a place where steps run. One file per target under `runtime/submit/`. */
import type { Job } from "../compiler/targets/job.ts";
import type { Refusal } from "./run/refusal.ts";

export type RunState =
  | "draft"
  | "queued"
  | "starting"
  | "preflight"
  | "running"
  | "saving"
  | "requeued"
  | "done"
  | "failed"
  | "cancelled"
  | "lost";

export interface RunSpec extends Job {
  /** Handles of runs that must end well first; only targets with a queue take them. */
  readonly after: readonly Handle[];
}

/** What will be done, to the letter: printed by `--dry-run`, taken by `submit`. */
export interface Request {
  readonly target: "local" | "slurm";
  /** Files written before the command runs, absolute paths. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly executable?: boolean }[];
  readonly command: readonly string[];
  readonly cwd: string;
  /** Additions to the environment; secrets are named here and never held. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** How to find a submitted run again, from any later process. */
export type Handle =
  | { readonly target: "local"; readonly host: string; readonly pid: number; readonly started: string }
  | { readonly target: "slurm"; readonly job: string; readonly cluster: string | null };

/** What a target knows of a run; `raw` is its own word for it. */
export interface Observation {
  readonly state: RunState;
  readonly reason: string;
  readonly raw: string;
}

export interface Target {
  readonly name: "local" | "slurm";
  /** Pure. */
  readonly request: (run: RunSpec) => Request;
  readonly submit: (request: Request) => Promise<Handle | Refusal>;
  /** One call for all of them. */
  readonly poll: (handles: readonly Handle[]) => Promise<ReadonlyMap<Handle, Observation>>;
  /** `save`: save and stop; `kill`: now. */
  readonly signal: (handle: Handle, what: "save" | "kill", directory: string) => Promise<void>;
}
