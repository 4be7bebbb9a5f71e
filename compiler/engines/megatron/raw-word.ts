import type { StageStep } from "../../pipeline.ts";

/** What `raw megatron { … }` says of an argument, however its words are joined. */
export function rawWord(raw: StageStep["rawMegatron"], name: string): unknown {
  return raw[name] ?? raw[name.replaceAll("_", "-")];
}
