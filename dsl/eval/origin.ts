import { article } from "../diagnostics/article.ts";
import type { Span } from "../source/source.ts";

/** Where a value came from. Every value has exactly one origin; `cdrc explain PATH` prints the chain. */
export type Origin =
  /** Written in a file, directly or by what a block extends; `layer` says which layer won. */
  | { readonly kind: "written"; readonly span: Span; readonly layer: Layer }
  /** A default of the block kind, the family or the engine: `by` names it, `source` is where it is published. */
  | { readonly kind: "default"; readonly by: string; readonly source?: string }
  | {
      readonly kind: "param";
      readonly name: string;
      readonly span: Span;
      readonly set: "default" | "env" | Layer;
      /** The variable of the environment that is asked first. */
      readonly variable?: string;
    }
  /** Computed by a rule from other values: `global_batch / (micro_batch * data_parallel)`. */
  | { readonly kind: "derived"; readonly rule: string; readonly inputs: readonly string[]; readonly source?: string }
  /** Chosen by the planner or the sizer among values that would also have done. */
  | { readonly kind: "chosen"; readonly by: "planner" | "sizer"; readonly reason: string };

export type Layer = "file" | "preset" | "overlay" | "set";

/** How a param came to its value, in words. */
export function setBy({ set, variable }: Extract<Origin, { kind: "param" }>): string {
  switch (set) {
    case "default":
      return `its default${variable === undefined ? "" : `, as ${variable} is not set`}`;
    case "env":
      return `set by the environment${variable === undefined ? "" : ` variable ${variable}`}`;
    case "set":
      return "set by `--set`";
    case "preset":
    case "overlay":
      return `set by ${article(set)}`;
    case "file":
      return "set by the file";
  }
}
