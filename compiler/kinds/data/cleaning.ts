/** What text must be to stay, and what is done to it: `keep`, `normalize`, `scrub`, `dedup`, `augment`. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { FormulaNames, Property } from "../../../dsl/kind.ts";
import {
  bool,
  choice,
  enumeration,
  formulaOver,
  integer,
  list,
  number,
  quantity,
  share,
  string,
} from "../../../dsl/types/type.ts";

/** ISO 639-1. */
const languages =
  "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu".split(
    " ",
  );
const licenses = [
  "public_domain",
  "cc0",
  "cc_by",
  "cc_by_sa",
  "cc_by_nc",
  "mit",
  "apache_2",
  "bsd_2",
  "bsd_3",
  "isc",
  "mpl_2",
  "lgpl",
  "gpl",
  "agpl",
  "unknown",
];

/** What a filter may speak of, by the sources that the block declares. */
export function facts(block: Instance | null): FormulaNames {
  const sources = [...(block?.blocks ?? [])]
    .filter(([, child]) => child.kind.name === "source")
    .map(([name]) => name);
  return {
    language: {
      doc: "confidence that the text is in a language",
      type: share("certainty"),
      parameters: { code: { type: enumeration("language", languages), doc: "which, by ISO 639-1", required: true } },
      positional: ["code"],
    },
    license: { doc: "the license of the text", type: enumeration("license", licenses) },
    length: { doc: "of the document", type: quantity([{ char: 1 }, { word: 1 }, { token: 1 }], { min: 0 }) },
    repetition: { doc: "share of repeated lines and n-grams", type: share("the text") },
    toxicity: { doc: "score of a classifier, 0 to 1", type: number({ min: 0, max: 1 }) },
    quality: { doc: "score of a classifier, 0 to 1", type: number({ min: 0, max: 1 }) },
    spam: { doc: "score of a classifier, 0 to 1", type: number({ min: 0, max: 1 }) },
    nsfw: { doc: "whether its source or a classifier marks it as unsafe for work", type: bool },
    perplexity: { doc: "perplexity under a small model of the language", type: number({ min: 0 }) },
    source: { doc: "the part of the mixture", type: enumeration("source", sources) },
    checkable: { doc: "whether it has an answer that a program can check", type: bool },
    unseen: {
      doc: "whether it shares no long n-gram with the named benchmarks",
      type: bool,
      parameters: {
        in: { type: list(enumeration("benchmark", benchmarks)), doc: "the benchmarks", required: true },
        ngram: { type: integer({ min: 1 }), doc: "number of consecutive words that count as a match", default: "13" },
      },
    },
    "row.*": { doc: "a field of the row", type: { kind: "any" } },
  };
}

/** Sets that people measure with and must not train on. */
const benchmarks = [
  "arc_easy",
  "arc_challenge",
  "gsm8k",
  "hellaswag",
  "humaneval",
  "math_500",
  "mbpp",
  "mmlu",
  "piqa",
  "ruler",
  "truthfulqa",
  "winogrande",
];

const word = (name: string, values: readonly string[], doc: string): Property => ({
  type: enumeration(name, values),
  doc,
  default: values[0] as string,
});

export const keep: Property = {
  type: list(formulaOver(facts, bool, "filter")),
  doc: "conditions that all text must meet: `language(en) >= 0.65`, `length in 50..1M chars`",
  runs: false,
};

export const normalize: Property = {
  type: list(
    choice("normalisation", {
      encoding: {
        doc: "one encoding; broken text is repaired or dropped",
        parameters: { to: word("encoding", ["utf8"], "which") },
        positional: ["to"],
      },
      unicode: {
        doc: "one Unicode form of each character",
        parameters: { form: word("form", ["nfc", "nfkc"], "normal form") },
        positional: ["form"],
      },
      markdown: {
        doc: "Markdown syntax",
        parameters: { how: word("treatment", ["keep", "strip"], "keep or strip") },
        positional: ["how"],
      },
      html: {
        doc: "tags of HTML",
        parameters: { how: word("treatment", ["strip", "keep"], "keep or strip") },
        positional: ["how"],
      },
      urls: {
        doc: "links in the text",
        parameters: { how: word("replacement", ["placeholder", "strip", "keep"], "what stands in their place") },
        positional: ["how"],
      },
      users: {
        doc: "names of users: `@name`, `u/name`",
        parameters: { how: word("replacement", ["placeholder", "strip", "keep"], "what stands in their place") },
        positional: ["how"],
      },
      artefacts: {
        doc: "what a site leaves in its texts: `[deleted]`, `[removed]`, marks of edits, what its bots sign; dropped",
        parameters: {},
      },
      whitespace: {
        doc: "repeated spaces",
        parameters: { how: word("treatment", ["collapse", "keep"], "one space, or unchanged") },
        positional: ["how"],
      },
    }),
  ),
  doc: "normalisations, applied in this order before all filters",
  runs: false,
};

export const scrub: Property = {
  type: list(
    choice("scrubbing", {
      pii: {
        doc: "personal data is replaced by a placeholder",
        parameters: {
          kinds: {
            type: list(enumeration("personal fact", ["email", "phone", "address", "ip", "key", "name", "iban"])),
            doc: "which",
            default: "[email, phone, address, ip, key]",
          },
        },
        positional: ["kinds"],
      },
    }),
  ),
  doc: "redactions in the remaining text",
  runs: false,
};

export const dedup: Property = {
  type: list(
    choice("deduplication", {
      exact: { doc: "documents with the same bytes", parameters: {} },
      url: { doc: "documents with the same URL", parameters: {} },
      host: {
        doc: "too many documents from one host",
        parameters: { limit: { type: integer({ min: 1 }), doc: "maximum for one host", required: true } },
        positional: ["limit"],
      },
      paragraph: { doc: "paragraphs that appeared before", parameters: {} },
      minhash: {
        doc: "documents that share most of their shingles",
        parameters: {
          similarity: {
            type: number({ min: 0, max: 1 }),
            doc: "Jaccard similarity above which two documents are duplicates",
            default: "0.8",
          },
          shingle: { type: integer({ min: 1 }), doc: "words in a shingle", default: "5" },
          permutations: { type: integer({ min: 1 }), doc: "hashes of a signature", default: "128" },
        },
      },
      simhash: {
        doc: "documents whose hashes differ in few bits",
        parameters: { distance: { type: integer({ min: 0 }), doc: "bits that may differ", default: "3" } },
      },
    }),
  ),
  doc: "kinds of duplicates, in this order; the first of each is kept",
  runs: false,
};

export const augment: Property = {
  type: list(
    choice("augmentation", {
      back_translation: {
        doc: "translation to another language and back",
        parameters: {
          through: { type: enumeration("language", languages), doc: "which, by ISO 639-1", required: true },
          share: { type: share("the documents"), doc: "how many", default: "10%" },
        },
      },
      paraphrase: {
        doc: "paraphrases by a model",
        parameters: {
          by: { type: string, doc: "the model", required: true },
          share: { type: share("the documents"), doc: "how many", default: "10%" },
        },
      },
    }),
  ),
  doc: "synthetic text made from the text",
  runs: false,
};
