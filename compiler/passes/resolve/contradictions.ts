/** Bounds of one property that leave no value: `layers >= 40` and `layers <= 20`. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import { boundsOf } from "../../../dsl/eval/property.ts";
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
        { related: against.map((other) => ({ message: "and this", span: other.value.span })) },
      ),
    );
  }
  return found;
}

const isEmpty = ({ min, max, oneOf }: Bound): boolean =>
  (min !== null && max !== null && min > max) ||
  (oneOf !== null &&
    oneOf.every((one) => typeof one === "number" && ((min !== null && one < min) || (max !== null && one > max))));
