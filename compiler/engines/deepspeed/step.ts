import { define, type Definition } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Host } from "./launch.ts";
import type { Settings } from "./settings.ts";

/** One demand that the engine makes. */
export interface Demand {
  readonly diagnostic: Definition<{ readonly message: string }>;
  /** The engine's file and function. */
  readonly source: string;
  /** When it speaks: while it reads the configuration, while it builds the engine, or at the first step. */
  readonly phase: Phase;
  /** Dotted paths that it speaks of, the one to change first. */
  readonly about: readonly string[];
  /** Which of them is to blame, where their values decide it. */
  readonly blamed?: (settings: Settings, host: Host) => string | null;
  /** What is wrong, as one sentence without a stop; `null` where nothing is. */
  readonly check: (settings: Settings, host: Host) => string | null;
  readonly valid: readonly string[];
  /** Of a value that no run survives, what its key takes. */
  readonly wanted?: string;
  /** Laid over the base, what breaks it and the nearest that doesn't. Held by a test, shown by its page. */
  readonly fires: Example;
  readonly silent: Example;
}

export type Phase = "config" | "build" | "step";

/** Keys of the configuration; `$world`, `$model`, `$client` and `$accelerator` describe the launch. */
export type Example = { readonly [key: string]: unknown };

interface Written {
  readonly about: string | readonly string[];
  readonly blamed?: Demand["blamed"];
  readonly check: Demand["check"];
  readonly why: string;
  /** What to write instead. */
  readonly fix: string;
  readonly valid?: readonly string[];
  readonly wanted?: string;
  readonly fires: Example;
  readonly silent: Example;
  /** The engine takes it, and it is most likely a mistake. */
  readonly severity?: "warning";
}

/** Makes demands that stand at one place of the engine, with codes `cdr/deepspeed-NAME`. */
export function demandsOf(source: string, phase: Phase): (name: string, written: Written) => Demand {
  return (name, { about, blamed, check, why, fix, valid, wanted, fires, silent, severity }) => ({
    diagnostic: define<{ readonly message: string }>({
      code: `cdr/deepspeed-${name}`,
      severity: severity ?? "error",
      message: ({ message }) => message,
      explanation: why,
      fix,
      source: `deepspeed/${source}`,
    }),
    source,
    phase,
    about: typeof about === "string" ? [about] : about,
    ...(blamed === undefined ? {} : { blamed }),
    check,
    valid: valid ?? [],
    ...(wanted === undefined ? {} : { wanted }),
    fires,
    silent,
  });
}
