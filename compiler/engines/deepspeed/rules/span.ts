import type { Span } from "../../../../dsl/source/source.ts";
import type { StageStep } from "../../../pipeline.ts";

/** Where a raw key stands; of a key inside a section at least where its section does. */
export function spanOf(stage: StageStep, path: string): Span {
  const whole = stage.rawSpans.get(path);
  if (whole !== undefined) return whole;
  const dot = path.lastIndexOf(".");
  return dot < 0 ? stage.span : spanOf(stage, path.slice(0, dot));
}
