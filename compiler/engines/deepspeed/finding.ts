import type { Value } from "./value.ts";

/** What reading a section brings to light. */
export type Remark =
  | { readonly kind: "shape"; readonly path: string; readonly value: Value }
  | { readonly kind: "extra"; readonly path: string; readonly valid: readonly string[] }
  | {
      readonly kind: "value";
      readonly path: string;
      readonly value: Value;
      readonly wanted: string;
      readonly valid?: readonly string[];
    }
  | { readonly kind: "removed"; readonly path: string; readonly advice: string }
  | { readonly kind: "both"; readonly path: string; readonly use: string }
  | { readonly kind: "deprecated"; readonly path: string; readonly use: string }
  | { readonly kind: "dropped"; readonly path: string }
  | { readonly kind: "ignored"; readonly path: string; readonly nearest: string | null; readonly why: string | null };

export type Report = (remark: Remark) => void;
