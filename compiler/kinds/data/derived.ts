import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { later, type Value } from "../../../dsl/types/value.ts";
import { dataVocabValue } from "../tokenizer-derived.ts";

/** Ids that two bytes tell apart. */
export const uint16Ids = 65_536;

/** `data.dtype`: the smallest type that holds the vocabulary, or what is written. */
export function idTypeValue(block: Instance): Value {
  const { value: shards } = block.context.property(block, "shards", block.span);
  const written = shards.kind === "choice" ? shards.arguments.get("dtype")?.value : undefined;
  if (written?.kind === "member" && written.name !== "auto") return written;
  const vocab = dataVocabValue(block);
  return vocab.kind === "number" ? { kind: "string", value: vocab.value <= uint16Ids ? "uint16" : "uint32" } : later;
}
