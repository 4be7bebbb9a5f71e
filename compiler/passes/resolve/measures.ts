import type { Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { group, valued } from "./read.ts";

/** Whether a stage measures its validation loss, or may be meant to, by a group that it does not know. */
export const measures = (stage: Instance): boolean => group(stage, "eval") !== null || stage.strangeGroups.size > 0;

/** The same stage with an `eval`, where its braces stand in the text of what asks for it. */
export function withEval(stage: Instance, source: Source): Fix | null {
  const { span, name } = stage;
  const brace = /^[^{}\r\n"]*\{/.exec(span.source.text.slice(span.end))?.[0];
  if (brace === undefined || span.source.path !== source.path) return null;
  const at = span.end + brace.length;
  const isAlone = /^[ \t]*\r?\n/.test(span.source.text.slice(at));
  const { value: length } = valued(stage, "length");
  const steps = length.kind === "number" && length.dimension.step === 1 ? length.value : Infinity;
  // A measurement that never comes would be the next message.
  const text = `eval { every = ${Math.max(1, Math.min(500, Math.floor(steps / 2)))} steps }`;
  const newText = isAlone ? `\n  ${text}` : ` ${text},`;
  return {
    title: `add \`${text}\` to \`${name ?? ""}\``,
    edits: [{ span: { source, start: at, end: at }, newText }],
  };
}
