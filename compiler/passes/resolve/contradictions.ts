/** Bounds of one property that leave no value: `layers >= 40` and `layers <= 20`. */
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { boundsOf } from "../../../dsl/eval/blocks/property.ts";
import type { Valued } from "../../../dsl/types/value.ts";
import { boundsContradict } from "../../diagnostics/operations.ts";
import { unitIn } from "./batch.ts";
import type { Bound } from "../../pipeline.ts";
import { textIn } from "./expectations.ts";
import { narrowed, unbounded } from "./read.ts";

export function contradictions(block: Instance): Diagnostic[] {
  return [...own(block), ...[...block.blocks.values()].flatMap(contradictions)];
}

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
    const condition = ({ name, op, value }: typeof said): string => `${name} ${op} ${textIn(value)}`;
    // Those that one of them alone rules out, or all of them where it takes several.
    const alone = others.filter((other) => isEmpty([other, said].reduce(narrowed, unbounded)));
    const against = isEmpty(narrowed(unbounded, said)) ? [] : alone.length > 0 ? alone : others;
    found.push(
      boundsContradict(
        said.value.span,
        { condition: condition(said), others: against.map(condition) },
        {
          related: against.map((other) => ({ message: "and this", span: other.value.span })),
          fixes: turned(said.value),
        },
      ),
    );
  }
  return found;
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
