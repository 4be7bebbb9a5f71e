import type { Given, Scalar, Settings, StageStep } from "../../pipeline.ts";
import type { Family } from "../../models/family.ts";
import { mayRoute } from "../../models/routed.ts";
import { rawEntry } from "../../engines/megatron/raw-word.ts";
import { rawExpertRanks, rawRecompute } from "../../engines/megatron/raw-layout.ts";

type Raw = StageStep["rawMegatron"];

/** Properties of a layout that Megatron's own words say as well, by the arguments that do. */
const said: readonly {
  readonly property: string;
  readonly arguments: readonly string[];
  readonly value: (raw: Raw) => Scalar | null;
  /** Says nothing to models of other families. */
  readonly of?: (family: Family) => boolean;
}[] = [
  { property: "recompute", arguments: ["recompute_granularity", "recompute_activations"], value: rawRecompute },
  {
    property: "expert_tensor_parallel",
    arguments: ["expert_tensor_parallel_size"],
    value: rawExpertRanks,
    of: mayRoute,
  },
];

/** What `raw megatron { … }` says of a layout is a pin of it, where that does not speak of the same. */
export function withRawLayout(
  layout: Settings,
  raw: Raw,
  spans: StageStep["rawMegatronSpans"],
  family: Family,
): Settings {
  const pins = said.flatMap(({ property, arguments: names, value: read, of }): [string, Given<Scalar>][] => {
    const value = of?.(family) === false ? null : read(raw);
    const span = names.map((name) => spans.get(rawEntry(raw, name)?.key ?? "")).find((one) => one !== undefined);
    if (value === null || span === undefined || layout.given.has(property)) return [];
    return [[property, { value, span, origin: { kind: "written", span, layer: "file" } }]];
  });
  return pins.length === 0 ? layout : { ...layout, given: new Map([...layout.given, ...pins]) };
}
