import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Expression } from "../../../dsl/syntax/ast.ts";
import type { StageStep } from "../../pipeline.ts";
import { documentOf } from "./document-of.ts";

/** What a `raw` block says, and where. */
export function rawBlock(stage: Instance, engine: string): { said: StageStep["raw"]; spans: StageStep["rawSpans"] } {
  const raw = stage.blocks.get(engine);
  return { said: raw === undefined ? {} : documentOf(raw), spans: spansIn(raw) };
}

/** Where each key of a raw block was written, those of its sections and records by dotted paths. */
function spansIn(raw: Instance | undefined, prefix = ""): StageStep["rawSpans"] {
  return new Map([
    ...[...(raw?.values ?? [])].flatMap(([key, { nameSpan, expression }]) => [
      [`${prefix}${key}`, nameSpan] as const,
      ...spansInRecord(expression, `${prefix}${key}.`),
    ]),
    ...[...(raw?.blocks ?? [])].flatMap(([key, group]) => [
      [`${prefix}${key}`, group.span] as const,
      ...spansIn(group, `${prefix}${key}.`),
    ]),
  ]);
}

function spansInRecord(expression: Expression, prefix: string): readonly (readonly [string, Span])[] {
  if (expression.kind !== "record") return [];
  return expression.members.flatMap((member) => {
    if (member.kind !== "assign") return [];
    const path = `${prefix}${member.target.map(({ text }) => text).join(".")}`;
    const [first] = member.target;
    const span = { ...first.span, end: member.target.at(-1)?.span.end ?? first.span.end };
    return [[path, span] as const, ...spansInRecord(member.value, `${path}.`)];
  });
}
