/** What a stage's layout pins and bounds, and what it says beside them. */
import { boundsOf } from "../../../dsl/eval/blocks/property.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { ChoiceValue } from "../../../dsl/types/value.ts";
import { layoutDetail } from "../../diagnostics/layout.ts";
import type { Family } from "../../models/family.ts";
import type { Bound, Given, Scalar, Settings, StageStep } from "../../pipeline.ts";
import { detailText, modules, type Details } from "../../planner/details.ts";
import { argument, choiceAt, given, numberOf, settingsOf, textOf, textsOf, valued } from "./read.ts";
import { withRawLayout } from "./raw-layout.ts";

const called = ["recompute", "offload"] as const;

export function layoutOf(
  layout: Instance | null,
  raw: StageStep["rawMegatron"],
  spans: StageStep["rawMegatronSpans"],
  family: Family,
  report: (diagnostic: Diagnostic) => void,
): Pick<StageStep, "layout" | "details"> {
  if (layout === null) return { layout: withRawLayout({ given: new Map(), bounds: new Map() }, raw, spans, family) };
  const names = Object.keys(layout.kind.properties).filter((name) => name !== "pipeline_schedule");
  const settings = settingsOf(layout, names);
  const pins = new Map<string, Given<Scalar>>(settings.given);
  let details: Details = {};
  for (const name of called) {
    const choice = choiceAt(layout, name);
    if (choice === null) continue;
    const said = detailsOf(choice);
    const value = valued(layout, name);
    if (said.block !== undefined && said.uniform !== undefined) {
      const why = "`block` and `uniform` are two ways to choose layers: write one of them";
      report(
        layoutDetail(value.span, { what: `${name} = full(block = ${said.block}, uniform = ${said.uniform})`, why }),
      );
    }
    details = { ...details, ...said };
    pins.set(name, given(choice.name, value));
  }
  for (const { name, value } of boundsOf(layout))
    for (const item of value.value.kind === "list" ? value.value.items : [])
      if (item.value.kind === "choice") {
        const what = detailText(item.value.name, detailsOf(item.value));
        const why = `a set takes only plain words; write \`${name} = ${what}\` to choose it`;
        report(layoutDetail(item.span, { what: `${name} in […, ${what}]`, why }));
      }
  const bounds = new Map(settings.bounds);
  schedule(layout, pins, bounds, report);
  const result: Settings = { given: pins, bounds };
  return {
    layout: withRawLayout(result, raw, spans, family),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

function detailsOf(choice: ChoiceValue): Details {
  const named = textsOf(argument(choice, "modules"));
  const picked = modules.filter((module) => named.includes(module));
  const [block, uniform, layers] = ["block", "uniform", "layers"].map((name) => numberOf(argument(choice, name)));
  return {
    ...(picked.length === 0 ? {} : { modules: picked }),
    ...(block == null ? {} : { block }),
    ...(uniform == null ? {} : { uniform }),
    ...(layers == null ? {} : { offloaded: layers }),
  };
}

/** An order of micro-batches wants a pipeline; taking turns wants one chunk a stage or several. */
function schedule(
  layout: Instance,
  pins: Map<string, Given<Scalar>>,
  bounds: Map<string, Bound>,
  report: (diagnostic: Diagnostic) => void,
): void {
  const value = valued(layout, "pipeline_schedule");
  const name = value.origin.kind === "default" ? null : textOf(value.value);
  if (name === null) return;
  pins.set("pipeline_schedule", given(name, value));
  const hold = (property: string, [min, max]: readonly [number, number], words: string): void => {
    const pin = pins.get(property);
    const said = Number(pin?.value);
    if (said < min || said > max) {
      const why = `it needs ${property} ${words}, but the layout has ${said}`;
      const related = pin === undefined ? [] : [{ message: `${property} is given here`, span: pin.span }];
      report(layoutDetail(value.span, { what: `pipeline_schedule = ${name}`, why }, { related }));
    }
    const { min: low = null, max: high = null, oneOf = null, spans = [] } = bounds.get(property) ?? {};
    bounds.set(property, {
      min: Math.max(min, low ?? min),
      max: max === Infinity ? high : Math.min(max, high ?? max),
      oneOf,
      spans: [...spans, value.span],
    });
  };
  hold("pipeline_parallel", [2, Infinity], "from 2 on");
  if (name === "interleaved") hold("virtual_pipeline", [2, Infinity], "from 2 on");
  else hold("virtual_pipeline", [1, 1], "1");
}
