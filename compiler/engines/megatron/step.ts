/** What the engine does with its arguments, one thing at a time and in its order: it demands, or it changes. */
import { define, type Definition } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Arguments, Host } from "./launch.ts";

export type Name = keyof Arguments;

/** One demand that the engine makes. */
export interface Rule {
  readonly kind: "rule";
  readonly diagnostic: Definition<{ readonly message: string }>;
  /** The engine's file and function. */
  readonly source: string;
  /** The arguments that it speaks of, the one to change first. */
  readonly about: readonly Name[];
  /** What is wrong, as one sentence without a stop; `null` where nothing is. */
  readonly check: (args: Arguments, host: Host) => string | null;
  /** What the first of `about` could be instead, where that is a finite list. */
  readonly valid?: (args: Arguments, host: Host) => readonly (string | number)[];
  /** Arguments laid over those of `base` that break it, and the nearest that don't. Held by a test, shown by its page. */
  readonly fires: string;
  readonly silent: string;
  readonly base: Base;
  /** The first release that no longer demands it. */
  readonly gone?: string;
  /** Speaks where this one was written down, and not of its default. */
  readonly written?: Name;
}

/** Launches that every validator accepts, for examples to start from: see `bases.ts`. */
export type Base =
  | "gpt"
  | "fp32"
  | "local"
  | "samples"
  | "scheduled"
  | "lengthless"
  | "sizeless"
  | "wordless"
  | "unmocked"
  | "biased"
  | "moe"
  | "moeBiased"
  | "hybrid"
  | "specless"
  | "patternless"
  | "rl";

/** One change that the engine makes, mostly in silence. */
export interface Setting {
  readonly kind: "setting";
  readonly sets: readonly Name[];
  readonly apply: (args: Arguments, host: Host) => void;
  /** What is written stays as it is where nobody knows what the engine makes of it. */
  readonly keepsWritten?: boolean;
  /** Old names, which say what it sets where nobody says that itself. */
  readonly from?: readonly string[];
}

export type Step = Rule | Setting;

interface Demand {
  readonly about: readonly Name[];
  readonly check: Rule["check"];
  readonly valid?: Rule["valid"];
  /** Why the engine demands it, and what happens without. */
  readonly why: string;
  /** What to write instead. */
  readonly fix: string;
  readonly fires: string;
  readonly silent: string;
  readonly base?: Base;
  /** The engine accepts it and does something else than was written, or fails much later. */
  readonly severity?: "warning" | "info";
  readonly gone?: string;
  readonly written?: Name;
}

/** A demand whose message names no figure. */
interface Ban extends Omit<Demand, "check" | "valid"> {
  readonly when: (args: Arguments, host: Host) => boolean;
  readonly says: string;
}

/** Makes rules that stand at one place of the engine, with codes `cdr/megatron-NAME`. */
export function rulesOf(source: string): {
  readonly demand: (name: string, demand: Demand) => Rule;
  readonly ban: (name: string, ban: Ban) => Rule;
} {
  const demand = (
    name: string,
    { check, valid, about, why, fix, fires, silent, base, severity, gone, written }: Demand,
  ): Rule => ({
    kind: "rule",
    diagnostic: define<{ readonly message: string }>({
      code: `cdr/megatron-${name}`,
      severity: severity ?? "error",
      message: ({ message }) => message,
      explanation: why,
      fix,
      source,
    }),
    source,
    about,
    check,
    ...(valid && { valid }),
    fires,
    silent,
    base: base ?? "gpt",
    ...(gone !== undefined && { gone }),
    ...(written !== undefined && { written }),
  });
  return {
    demand,
    ban: (name, { when, says, ...rest }) =>
      demand(name, { ...rest, check: (args, host) => (when(args, host) ? says : null) }),
  };
}

export function settle(sets: readonly Name[], apply: Setting["apply"], keepsWritten = false): Setting {
  return { kind: "setting", sets, apply, keepsWritten };
}

/** `set` under the name that it had. */
export function renamed(from: string, set: Name, apply: Setting["apply"]): Setting {
  return { kind: "setting", sets: [set], from: [from], apply };
}
