/** Sizes of vocabularies: what a tokenizer block or choice gives where it is asked. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { type ChoiceValue, later, number, type Value } from "../../dsl/types/value.ts";
import { inTable } from "../../dsl/in-table.ts";

/** Sizes of tiktoken's encodings, from its source (`openai_public.py`): ranks and specials. */
export const tiktokenVocabularies: Readonly<Record<string, number>> = {
  gpt2: 50_257,
  r50k_base: 50_257,
  p50k_base: 50_281,
  p50k_edit: 50_284,
  cl100k_base: 100_277,
  o200k_base: 200_019,
};

/** Ids that a tokenizer gives, or `null` where only the tokenizer itself knows. */
export function vocabOf(choice: ChoiceValue): number | null {
  const at = (name: string): Value | undefined => choice.arguments.get(name)?.value;
  const size = at("vocab");
  if (size?.kind === "number") return size.value;
  const name = at("name");
  if (choice.name === "tiktoken")
    return name?.kind === "string" ? (inTable(tiktokenVocabularies, name.value) ?? null) : null;
  if (choice.name !== "bytes") return null;
  const [specials, multiple] = [at("specials"), at("multiple")];
  const count = 256 + (specials?.kind === "list" ? specials.items.length : 1);
  return padded(count, multiple?.kind === "number" ? multiple.value : 1);
}

export const padded = (count: number, multiple: number): number => Math.ceil(count / multiple) * multiple;

/** How a tokenizer block is made: by `learn`, or `from` elsewhere. */
export function makerOf(block: Instance): ChoiceValue | null {
  for (const name of ["learn", "from"]) {
    const { value } = block.context.property(block, name, block.span);
    if (value.kind === "choice") return value;
  }
  return null;
}

/** `tokenizer.vocab`: rows with their padding. */
export function vocabValue(block: Instance): Value {
  const maker = makerOf(block);
  const multiple = block.context.property(block, "vocab_multiple", block.span).value;
  const size = maker === null ? null : vocabOf(maker);
  return size === null ? later : number(padded(size, multiple.kind === "number" ? multiple.value : 1));
}

/** `data.vocab`: of its tokenizer, shared or its own. */
export function dataVocabValue(block: Instance): Value {
  const { value } = block.context.property(block, "tokenizer", block.span);
  if (value.kind === "block") return vocabValue(value.block);
  const size = value.kind === "choice" ? vocabOf(value) : null;
  return size === null ? later : number(size);
}
