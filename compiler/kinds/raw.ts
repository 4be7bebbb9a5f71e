import type { BlockKind } from "../../dsl/kind.ts";

/** `raw deepspeed { … }`: keys as the engine or scheduler spells them, judged by its own schema. */
export const rawKind: BlockKind = {
  name: "raw",
  doc: "Settings under the engine's or the scheduler's own names",
  properties: {},
  open: true,
};
