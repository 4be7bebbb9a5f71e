/** The vocabulary and who makes it. */
import { rulesOf, type Step } from "../step.ts";

const padding = rulesOf("megatron/training/vocab_utils.py: calculate_padded_vocab_size");
const tokenizer = rulesOf("megatron/core/tokenizers/utils/build_tokenizer.py: build_tokenizer");

export const vocabulary: readonly Step[] = [
  padding.ban("vocabulary-padding", {
    about: ["make_vocab_size_divisible_by"],
    when: (a) => a.make_vocab_size_divisible_by <= 0,
    says: "--make-vocab-size-divisible-by is not positive",
    why: "The table is padded to a multiple of it times the tensor-parallel size; 1 pads for tensor parallelism only.",
    fix: "Set --make-vocab-size-divisible-by to 1 or more; 128 is the default.",
    fires: "--make-vocab-size-divisible-by 0",
    silent: "--make-vocab-size-divisible-by 128",
  }),
  tokenizer.ban("tokenizer-null", {
    about: ["vocab_size", "tokenizer_type"],
    when: (a) =>
      ["NullTokenizer", "NullMultimodalTokenizer"].includes(a.tokenizer_type ?? "") && a.vocab_size === null,
    says: "a null tokenizer needs --vocab-size",
    why: "A null tokenizer reads token numbers and has no vocabulary of its own, so the size of the embedding is unknown.",
    fix: "Add --vocab-size N, the number of different token ids in the data.",
    base: "wordless",
    fires: "--tokenizer-type NullTokenizer",
    silent: "--tokenizer-type NullTokenizer --vocab-size 32000",
  }),
  tokenizer.ban("tokenizer-null-multimodal", {
    about: ["tokenizer_type"],
    when: (a) => a.tokenizer_type === "NullMultimodalTokenizer",
    says: "--tokenizer-type NullMultimodalTokenizer always fails in this version",
    why: "The engine does not pass this tokenizer its vocabulary, so creating it fails in every launch.",
    fix: "Write --tokenizer-type NullTokenizer with --vocab-size N.",
    fires: "--tokenizer-type NullMultimodalTokenizer",
    silent: "--tokenizer-type NullTokenizer",
  }),
];
