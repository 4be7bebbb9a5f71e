import type { StageStep } from "../pipeline.ts";
import type { Family } from "./family.ts";

/** Does the class write its scores: asked to, or because the trainer finds no fused attention of it? */
export function runsEager({ build }: Family, attention: StageStep["attention"]): boolean {
  return attention === "eager" || (attention === "sdpa" && build.lacks?.includes("sdpa") === true);
}
