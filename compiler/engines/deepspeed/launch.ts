import { Undecided } from "./unknown.ts";

export type ModelForm =
  | { readonly kind: "dense" }
  | { readonly kind: "pipeline"; readonly stages: number }
  | { readonly kind: "moe"; readonly expertParallel: number };

/** What surrounds a configuration. A field that is left out is not known. */
export interface Launch {
  /** Ranks in all. */
  readonly world?: number;
  readonly model?: ModelForm;
  /** Class of `torch.optim` that the program hands over; `null` where the configuration makes the optimizer. */
  readonly clientOptimizer?: string | null;
  readonly accelerator?: "cuda" | "cpu";
}

/** The same for rules: to ask for what is not known ends a rule without an answer. */
export interface Host {
  readonly world: number;
  readonly model: ModelForm;
  readonly clientOptimizer: string | null;
  readonly accelerator: "cuda" | "cpu";
}

export function hostOf(launch: Launch): Host {
  return new Proxy(launch as Host, {
    get: (target, name) => {
      const value = target[name as keyof Host] as unknown;
      if (value === undefined) throw new Undecided(String(name));
      return value;
    },
  });
}
