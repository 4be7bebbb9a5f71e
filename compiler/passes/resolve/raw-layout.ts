import type { Given, Scalar, Settings, StageStep } from "../../pipeline.ts";
import { rawRecompute } from "../../engines/megatron/raw-layout.ts";

const names = ["recompute_granularity", "recompute_activations"].flatMap((name) => [name, name.replaceAll("_", "-")]);

/** What `raw megatron { … }` says of recomputation is a pin of the layout, where that does not speak of it. */
export function withRawLayout(
  layout: Settings,
  raw: StageStep["rawMegatron"],
  spans: StageStep["rawMegatronSpans"],
): Settings {
  const value = rawRecompute(raw);
  const span = names.map((name) => spans.get(name)).find((one) => one !== undefined);
  if (value === null || span === undefined || layout.given.has("recompute")) return layout;
  const pin: Given<Scalar> = { value, span, origin: { kind: "written", span, layer: "file" } };
  return { ...layout, given: new Map([...layout.given, ["recompute", pin]]) };
}
