import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { StageStep } from "../../pipeline.ts";
import { documentOf } from "./document-of.ts";

/** What a `raw` block says, and where. */
export function rawBlock(stage: Instance, engine: string): { said: StageStep["raw"]; spans: StageStep["rawSpans"] } {
  const raw = stage.blocks.get(engine);
  return { said: raw === undefined ? {} : documentOf(raw), spans: spansIn(raw) };
}

/** Where each key of a raw block was written, those of its sections by dotted paths. */
function spansIn(raw: Instance | undefined, prefix = ""): StageStep["rawSpans"] {
  return new Map([
    ...[...(raw?.values ?? [])].map(([key, entry]) => [`${prefix}${key}`, entry.nameSpan] as const),
    ...[...(raw?.blocks ?? [])].flatMap(([key, group]) => [
      [`${prefix}${key}`, group.span] as const,
      ...spansIn(group, `${prefix}${key}.`),
    ]),
  ]);
}
