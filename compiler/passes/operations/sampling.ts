/** What a `sample` asks a model for, against its context. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { sampleLong } from "../../diagnostics/artefacts.ts";
import { blockAt, choiceAt, numberAt, textOf, valued } from "../resolve/read.ts";

/** At the prompts that have no room, or at a length that leaves none to any. */
export function sampling(block: Instance): Diagnostic[] {
  const { value: from } = valued(block, "model");
  const stage = from.kind === "handle" ? from.block : null;
  const [model, data] = stage === null ? [null, null] : [blockAt(stage, "model"), blockAt(stage, "data")];
  const [length, context] = [numberAt(block, "length"), model === null ? null : numberAt(model, "context")];
  const asked = valued(block, "length");
  // The length that nobody wrote is cut to the room there is.
  if (model === null || length === null || context === null || asked.origin.kind === "default") return [];
  const slots = (what: string) => ({
    sample: block.name ?? "sample",
    asked: what,
    model: model.name ?? "model",
    context,
  });
  const written = `${length.toLocaleString("en-US")} tokens`;
  if (length >= context) return [sampleLong(asked.span, slots(written))];
  const { value: prompts } = valued(block, "prompts");
  // Of another tokenizer a prompt may be one token.
  const isBytes = data !== null && choiceAt(data, "tokenizer")?.name === "bytes";
  if (prompts.kind !== "list" || !isBytes) return [];
  return prompts.items.flatMap(({ value, span }) => {
    const count = new TextEncoder().encode(textOf(value) ?? "").length;
    if (count + length <= context) return [];
    return [sampleLong(span, slots(`${written} behind a prompt of ${count.toLocaleString("en-US")}`))];
  });
}
