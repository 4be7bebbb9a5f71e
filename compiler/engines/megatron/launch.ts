import type { MegatronArguments } from "./arguments.ts";
import { newestVersion, type Entry } from "./table.ts";
import { unknown } from "./unknown.ts";

/** What the engine works out on the way from its arguments. */
export interface Derived {
  /** Ranks with the same weights: world / (tensor x pipeline x context x weight shards per tensor rank). */
  data_parallel_size: number;
  gtp_weight_remat_size: number;
  expert_gtp_weight_remat_size: number;
  virtual_pipeline_model_parallel_size: number | null;
  /** Type of the weights that kernels read. */
  params_dtype: "fp32" | "fp16" | "bf16";
  /** Checkpoints in a sharded format. */
  use_dist_ckpt: boolean;
  /** Muon and its kin spread whole layers over the ranks. */
  use_layer_wise_distributed_optimizer: boolean;
  cpu_offloading: boolean;
}

/** Arguments as the engine sees them at one point of its validation: what follows may still change them. */
export type Arguments = MegatronArguments & Derived;

/** Arguments by the names that the engine reads them under, with the names that they were written under. */
export type Written = ReadonlyMap<string, { readonly name: string }>;

/** What surrounds the arguments; `unknown` where nobody said. */
export interface Surroundings {
  readonly entry: Entry;
  /** Number of ranks. */
  readonly world: number | typeof unknown;
  readonly env: Readonly<Record<string, string | typeof unknown>>;
  /** The environment may hold more than `env` says. */
  readonly envOpen: boolean;
  /** Compute capability: 8.0 Ampere, 8.9 Ada, 9.0 Hopper, 10.0 Blackwell. */
  readonly architecture: number | typeof unknown;
  /** Version of Transformer Engine; `null` where it isn't installed. */
  readonly transformerEngine: string | null | typeof unknown;
  /** Arguments that the command line gives, by the names that the engine reads them under. */
  readonly given?: Written;
  /** The release that judges; the newest where nothing names one. */
  readonly release?: string;
  /** What files hold, by the arguments that would take it as text. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** Thrown by a reader of something unknown, caught by `judge`: what needed it is undecided. Never leaves the engine. */
export class Undecided extends Error {}

/** One for all: where it was thrown is never asked, and to find that out took longer than the rules. */
const undecided = new Undecided();

/** Of a variable that nobody sets and the job's own environment may have. */
export const absentVariable = new Undecided();

/** A view that throws `Undecided` where an unknown value is read. */
export function decided<Values extends object>(values: Values): Values {
  return new Proxy(values, {
    get(target, key): unknown {
      const value: unknown = target[key as keyof Values];
      if (value === unknown) throw undecided;
      return value;
    },
  });
}

/** What rules ask of the surroundings. */
export interface Host {
  readonly entry: Entry;
  readonly world: number;
  readonly architecture: number;
  readonly env: (name: string) => string | undefined;
  /** Is Transformer Engine there, at this version or later? */
  readonly te: (atLeast?: string) => boolean;
  /** What was written down, and not only taken by the engine. */
  readonly given: Written;
  /** The release that judges. */
  readonly release: string;
}

export function hostOf(surroundings: Surroundings): Host {
  const known = decided(surroundings) as Surroundings & { readonly world: number; readonly architecture: number };
  return {
    entry: surroundings.entry,
    given: surroundings.given ?? new Map(),
    release: surroundings.release ?? newestVersion,
    get world() {
      return known.world;
    },
    get architecture() {
      return known.architecture;
    },
    env(name) {
      const value = surroundings.env[name];
      if (value === unknown) throw undecided;
      if (value === undefined && surroundings.envOpen) throw absentVariable;
      return value;
    },
    te(atLeast = "0") {
      const version = known.transformerEngine as string | null;
      return version !== null && compareVersions(version, atLeast) >= 0;
    },
  };
}

function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((each) => each.split(".").map((part) => Number.parseInt(part, 10) || 0)) as [
    number[],
    number[],
  ];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
