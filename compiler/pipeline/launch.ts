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
  readonly target: { readonly kind: "local"; readonly grace: number } | ({ readonly kind: "slurm" } & SlurmOptions);
  /** Plain values only; a secret is named, never read: `{ secret: "WANDB_API_KEY" }`. */
  readonly env: Readonly<Record<string, string | { readonly secret: string }>>;
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
