import type { CompileOptions } from "../../compiler/compile.ts";

/** A file with nothing around it: no neighbours, no environment, no machine, and no choice of a variant. */
export const alone: CompileOptions = {
  on: null,
  target: null,
  preset: null,
  overlays: [],
  overlayFiles: [],
  sets: [],
  read: () => undefined,
  environment: () => undefined,
  host: () => undefined,
};
