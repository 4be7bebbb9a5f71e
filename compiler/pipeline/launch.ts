/** How and where. */
import type { Span } from "../../dsl/source/source.ts";
import type { ClusterSpec } from "./cluster.ts";

/** How and where: the `launch` that was chosen, or the default of `--target`. */
export interface LaunchSpec {
  readonly name: string;
  /** Where it is declared, and where each option was written (`time`, `raw.mail-type`, `env.HF_TOKEN`). */
  readonly span: Span;
  readonly spans: ReadonlyMap<string, Span>;
  readonly cluster: ClusterSpec;
  readonly target:
    | { readonly kind: "local"; readonly grace: number }
    | ({ readonly kind: "slurm" } & SlurmOptions)
    | ({ readonly kind: "kubernetes" } & KubernetesOptions);
  /** Plain values only; a secret is named, never read: `{ secret: "WANDB_API_KEY" }`. */
  readonly env: Readonly<Record<string, string | SecretName>>;
}

/** One that `cdrc run` starts. */
export interface StartedLaunch extends LaunchSpec {
  readonly target: Exclude<LaunchSpec["target"], { readonly kind: "kubernetes" }>;
}

export interface SecretName {
  /** The environment variable that holds it where the run is started. */
  readonly secret: string;
  /** Where it is no variable: `kubernetes("name/key")`, `file("path")`. */
  readonly from?: { readonly kind: string; readonly at: string };
}

export interface KubernetesOptions {
  readonly namespace: string;
  /** The oldest release that its objects must be taken by; `null` for those that are still maintained. */
  readonly version: readonly [major: number, minor: number] | null;
  readonly controller: "pytorchjob" | "job" | "volcano";
  readonly retries: number;
  readonly backoff: number | null;
  readonly queue: string | null;
  readonly cpu: number | null;
  /** Bytes. */
  readonly memory: number | null;
  readonly shm: number;
  /** The resource that a device is. */
  readonly devices: string;
  readonly rdma: { readonly count: number; readonly resource: string } | null;
  readonly spot: "workers" | "all" | null;
  readonly selector: string | null;
  readonly priority: string | null;
  /** Seconds. */
  readonly time: number | null;
  readonly ready: number;
  readonly grace: number;
  readonly image: string | null;
  readonly mounts: readonly Mount[];
}

/** A store or a folder that appears in each pod. */
export interface Mount {
  readonly name: string;
  readonly span: Span;
  /** Its root: a URI or a folder of the node. */
  readonly at: string;
  /** `null` where the store does not say. */
  readonly path: string | null;
  readonly access: "one" | "many" | "read" | null;
  readonly size: number | null;
  readonly class: string | null;
}

export interface SlurmOptions {
  readonly partition: string | null;
  readonly account: string | null;
  readonly qos: string | null;
  /** Seconds; `null` leaves it to the partition. */
  readonly time: number | null;
  readonly requeue: boolean;
  /** Seconds between the save signal and the end of the job. */
  readonly lead: number;
  readonly exclusive: boolean;
  /** Cores per node; `null` leaves it to the site. */
  readonly cpus: number | null;
  /** Bytes per node; 0 asks for all of it, `null` leaves it to the site. */
  readonly memory: number | null;
  readonly constraint: string | null;
  readonly reservation: string | null;
  /** Further directives as written in `raw sbatch { … }`. */
  readonly raw: Readonly<Record<string, string | number | boolean>>;
}
