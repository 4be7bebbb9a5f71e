/** Bounds of one property that leave no value: `layers >= 40` and `layers <= 20`. */
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { boundsOf } from "../../../dsl/eval/blocks/property.ts";
import type { Valued } from "../../../dsl/types/value.ts";
import { inTable } from "../../../dsl/in-table.ts";
import { boundsContradict } from "../../diagnostics/budgets.ts";
import { unitIn } from "./batch.ts";
import type { Bound } from "../../pipeline.ts";
import { textIn } from "./expectations.ts";
import { boundHolds, narrowed, unbounded, valued } from "./read.ts";

export function contradictions(block: Instance): Diagnostic[] {
  return [...own(block), ...pinned(block), ...[...block.blocks.values()].flatMap(contradictions)];
}

const conditionOf = ({ name, op, value }: ReturnType<typeof boundsOf>[number]): string =>
  `${name} ${op} ${textIn(value)}`;

function own(block: Instance): Diagnostic[] {
  const found: Diagnostic[] = [];
  const before = new Map<string, ReturnType<typeof boundsOf>[number][]>();
  for (const said of boundsOf(block)) {
    // Samples and tokens are held against each other where a stage is planned.
    const key = `${said.name} ${unitIn(said.value.value) ?? ""}`;
    const others = before.get(key) ?? [];
    before.set(key, [...others, said]);
    if (!isEmpty([...others, said].reduce(narrowed, unbounded)) || isEmpty(others.reduce(narrowed, unbounded)))
      continue;
    // Those that one of them alone rules out, or all of them where it takes several.
    const alone = others.filter((other) => isEmpty([other, said].reduce(narrowed, unbounded)));
    const against = isEmpty(narrowed(unbounded, said)) ? [] : alone.length > 0 ? alone : others;
    found.push(
      boundsContradict(
        said.value.span,
        { condition: conditionOf(said), others: against.map(conditionOf) },
        {
          related: against.map((other) => ({ message: "and this", span: other.value.span })),
          fixes: turned(said.value),
        },
      ),
    );
  }
  return found;
}

/** A value beside bounds that rule it out: `zero_stage in [1, 2], zero_stage = 3`. What a machine has and how large a model is are held against them elsewhere. */
function pinned(block: Instance): Diagnostic[] {
  if (["cluster", "model"].includes((block.parent ?? block).kind.name)) return [];
  const bounds = Map.groupBy(boundsOf(block), ({ name }) => name);
  return [...bounds].flatMap(([name, said]) => {
    // A limit that is said anew is no choice.
    if (inTable(block.kind.properties, name)?.limit === true) return [];
    const pin = valued(block, name);
    if (!block.values.has(name) || pin.origin.kind === "default") return [];
    const against = said.filter(
      (bound) => unitIn(bound.value.value) === unitIn(pin.value) && !boundHolds(pin.value, bound),
    );
    if (against.length === 0) return [];
    const [{ op, value }] = against as [(typeof said)[number]];
    const shown = textIn(value);
    const valid =
      value.value.kind === "list"
        ? value.value.items.map((item) => textIn(item))
        : [op === "in" ? shown : `${op} ${shown}`];
    return [
      boundsContradict(
        pin.span,
        { condition: `${name} = ${textIn(pin)}`, others: against.map(conditionOf) },
        { valid, related: against.map((other) => ({ message: "and this", span: other.value.span })) },
      ),
    ];
  });
}

/** `8..1 samples` the other way round. */
function turned({ value, span }: Valued): readonly Fix[] {
  if (value.kind !== "range" || value.from.value <= value.to.value) return [];
  const { source, start, end } = span;
  const [, from, to, unit = ""] =
    /^([\d_.eE+-]+?)\s*\.\.\s*([\d_eE.+-]+)( ?[A-Za-z/]+)?$/.exec(source.text.slice(start, end)) ?? [];
  return from === undefined || to === undefined ? [] : [replacement(span, `${to}..${from}${unit}`)];
}

const isEmpty = ({ min, max, oneOf }: Bound): boolean =>
  (min !== null && max !== null && min > max) ||
  (oneOf !== null &&
    oneOf.every((one) => typeof one === "number" && ((min !== null && one < min) || (max !== null && one > max))));
