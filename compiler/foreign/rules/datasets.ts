/** Data and vocabulary: what the files of a launch, and those that lie beside them, say of each other. */
import { existsBeside, type Beside } from "../beside.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../documents/located.ts";
import { isMegatron } from "../megatron.ts";
import { endingIn, given, saidIn } from "../said.ts";
import { numberIn, switchIn, textIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

interface Index {
  readonly sequences: number;
  readonly documents: number;
  /** The last entry of its list of documents. */
  readonly end: number;
}

/** The header of Megatron's `.idx`. Source: megatron/core/datasets/indexed_dataset.py: _IndexWriter. */
function indexOf(beside: Beside, prefix: Told): Index | null {
  const path = `${String(prefix.value)}.idx`;
  const read = (start: number, length: number): DataView | null => {
    const bytes = beside.bytes(path, prefix.span.source, start, length);
    return bytes?.length === length ? new DataView(bytes.buffer, bytes.byteOffset, length) : null;
  };
  const head = read(0, 34);
  if (head === null || head.getUint32(0) !== 0x4d_4d_49_44) return null;
  const [sequences, entries] = [Number(head.getBigUint64(18, true)), Number(head.getBigUint64(26, true))];
  const last = read(34 + sequences * 12 + (entries - 1) * 8, 8);
  return last === null ? null : { sequences, documents: entries - 1, end: Number(last.getBigInt64(0, true)) };
}

/** Prefixes of a `--data-path`, which may stand between weights. */
function prefixes(launch: Launch): readonly Told[] {
  const named = new Set(["data_path", "train_data_path", "valid_data_path", "test_data_path"]);
  const runs = launch.runs.filter((run) => [...named].some((name) => run.options.has(name)) && isMegatron(run));
  const words = runs.flatMap(({ args }) =>
    args.flatMap(({ text, span, from }, index): readonly Told[] => {
      if (text === null || text.startsWith("-") || /^[\d.]+$/.test(text)) return [];
      let name = index - 1;
      while (name >= 0 && !(args[name]?.text ?? "").startsWith("--")) name--;
      const option = (args[name]?.text ?? "").slice(2).replaceAll("-", "_");
      return named.has(option) ? [{ value: text, known: true, span, name: option, nameSpan: span, from }] : [];
    }),
  );
  const file = given(saidIn(launch), "data_prefix", "model.data.data_prefix", "data.data_prefix");
  return file === undefined ? words : [...words, file];
}

/** An index of `documents` documents of one sequence each, as the characters of its bytes. */
function idx(sequences: number, entries: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(34 + sequences * 12 + entries.length * 8));
  [..."MMIDIDX"].forEach((letter, at) => bytes.setUint8(at, letter.charCodeAt(0)));
  bytes.setBigUint64(9, 1n, true);
  bytes.setUint8(17, 4);
  bytes.setBigUint64(18, BigInt(sequences), true);
  bytes.setBigUint64(26, BigInt(entries.length), true);
  entries.forEach((entry, at) => bytes.setBigInt64(34 + sequences * 12 + at * 8, BigInt(entry), true));
  return String.fromCharCode(...new Uint8Array(bytes.buffer));
}
const whole = (count: number): string =>
  idx(
    count,
    Array.from({ length: count + 1 }, (_, at) => at),
  );
const run = (rest: string): string => `torchrun --nproc-per-node=1 pretrain_gpt.py --data-path data/text ${rest}\n`;

/** Packing by the names that programs have for it. */
const packing = ["sample_packing", "packing", "neat_packing", "packed_sequence", "sft_packing", "pack"];
const multiples = ["pad_to_multiple_of", "pad_seq_to_mult", "pad_to_multiple", "pad_seq_length_to_mult"];

export const datasetRules: readonly ForeignRule[] = [
  rule({
    name: "index-merged",
    source: "megatron/core/datasets/indexed_dataset.py: _IndexReader (sequence_lengths against document_indices)",
    why: "An `.idx` lists the sequences of its `.bin`, and where documents end among them; the last end must equal the number of sequences. Some versions of the merge tool, and interrupted merges, write another number: the loader stops with an assertion without a message.",
    fix: "Merge the data again with a newer tools/merge_datasets.py.",
    check: (launch) =>
      prefixes(launch).flatMap((told): readonly Found[] => {
        const index = indexOf(launch.beside, told);
        if (index === null || index.end === index.sequences) return [];
        return [
          {
            span: told.span,
            message: `${String(told.value)}.idx is broken: it has ${index.sequences} sequences, but its last document ends at ${index.end}`,
          },
        ];
      }),
    fires: { "run.sh": run(""), "data/text.idx": idx(4, [0, 2, 3]) },
    silent: { "run.sh": run(""), "data/text.idx": whole(4) },
  }),
  rule({
    name: "split-empty",
    source:
      "megatron/core/datasets/blended_megatron_dataset_builder.py: _build_megatron_dataset_splits; blended_megatron_dataset_config.py: convert_split_vector_to_split_matrix",
    why: "`--split` divides the documents of a dataset, and a share of less than one document is empty: building the validation or test set fails after everything else has started.",
    fix: "Give the split its own dataset (--valid-data-path) or a larger share, or evaluate nothing: --eval-iters 0 --split 100,0,0.",
    check: (launch) => {
      const said = saidIn(launch);
      const split = toldIn(said, "split");
      const shares = (textIn(said, "split") ?? "").split(/[,/]/).map(Number);
      const all = shares.reduce((sum, share) => sum + share, 0);
      if (split === undefined || !(all > 0) || numberIn(said, "eval_iters") === 0) return [];
      return prefixes(launch).flatMap((told): readonly Found[] => {
        const index = indexOf(launch.beside, told);
        if (index === null)
          return existsBeside(launch.beside, `${String(told.value)}.idx`, told.span.source) === null || all > 1000
            ? []
            : smallest(shares, all) > 0.01
              ? []
              : [
                  {
                    span: split.span,
                    severity: "info" as const,
                    message: `how many documents ${String(told.value)} has is unknown: with fewer than ${Math.ceil(1 / smallest(shares, all))}, a part of this split is empty`,
                  },
                ];
        let start = 0;
        const empty = shares.flatMap((share, at) => {
          const end = start + share / all;
          const documents = Math.round(end * index.documents) - Math.round(start * index.documents);
          start = end;
          return share > 0 && documents === 0 ? [["training", "validation", "test"][at] ?? ""] : [];
        });
        if (empty.length === 0) return [];
        return [
          {
            span: split.span,
            message: `with ${index.documents} documents ${empty.join(" and ")} gets none`,
            ...nearby("the documents", told.span),
          },
        ];
      });
    },
    fires: { "run.sh": run("--split 969,30,1 --eval-iters 10"), "data/text.idx": whole(80) },
    silent: { "run.sh": run("--split 90,5,5 --eval-iters 10"), "data/text.idx": whole(80) },
  }),
  rule({
    name: "packing-context",
    severity: "warning",
    source:
      "TransformerEngine issue 1930; context_parallel.py: thd_partition_indices; megatron bridge: PackedSequenceSpecs.pad_seq_to_mult",
    why: "Context parallelism splits every packed sequence into two parts per rank. A sequence whose length is not a multiple of 2 x ranks silently loses its last tokens.",
    fix: "Set pad_seq_to_mult to a multiple of 2 x context-parallel ranks.",
    check: (launch) => {
      const said = saidIn(launch);
      const size = Number(endingIn(said, "context_parallel_size", "cp_size", "context_parallel")?.value ?? 1);
      if (!(size > 1)) return [];
      const packed = endingIn(said, ...packing);
      const size_ = endingIn(said, "packed_sequence_size");
      // Axolotl pads every pack to `sequence_len`, and chooses the multiple for its collator itself.
      if (packed?.name === "sample_packing" && documentsOf(launch, "axolotl").length > 0) return [];
      const on = packed !== undefined && switchIn(new Map([["on", packed]]), "on") === true ? packed : size_;
      if (on === undefined || on.value === null) return [];
      const told = endingIn(said, ...multiples);
      const multiple = Number(told?.value ?? 1);
      if (multiple % (2 * size) === 0) return [];
      return [
        {
          span: told?.span ?? on.span,
          message: `packed sequences are padded to a multiple of ${multiple}, but ${size} context-parallel ranks need a multiple of ${2 * size}: the rest is dropped`,
          valid: [String(2 * size)],
          ...nearby("packing", on.nameSpan),
        },
      ];
    },
    fires: {
      "sft.yaml":
        "model:\n  context_parallel_size: 2\ndataset:\n  packed_sequence_specs:\n    packed_sequence_size: 4096\n",
    },
    silent: {
      "sft.yaml":
        "model:\n  context_parallel_size: 2\ndataset:\n  packed_sequence_specs:\n    packed_sequence_size: 4096\n    pad_seq_to_mult: 4\n",
    },
  }),
  rule({
    name: "vocabulary-rows",
    severity: "info",
    source:
      "transformers: tokenizer.json (model.vocab, added_tokens), T5Tokenizer.extra_ids; config.json: vocab_size",
    why: "A model may have more embedding rows than its tokenizer has tokens: they were added to reach a multiple that divides well. They are never used, but a program that sizes the model by the tokenizer builds another shape, which the weights do not fit.",
    fix: "Take the size of the embedding from the model's configuration, not from the tokenizer; otherwise nothing needs to be done.",
    check: (launch) => {
      const tokens = tokensOf(launch);
      if (tokens === null) return [];
      return documentsOf(launch, "model").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "vocab_size") ?? at(root, "text_config", "vocab_size");
        const rows = scalarOf(node);
        if (node === undefined || typeof rows !== "number" || rows <= tokens.count) return [];
        const multiple = [1024, 512, 256, 128, 64].find((each) => Math.ceil(tokens.count / each) * each === rows);
        const padded = multiple === undefined ? "" : `: padded to a multiple of ${multiple}`;
        return [
          {
            span: node.span,
            message: `${rows} rows for ${tokens.count} tokens: ${rows - tokens.count} are unused${padded}`,
            ...nearby("the tokens", tokens.span),
          },
        ];
      });
    },
    fires: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "vocab_size": 128 }',
      "tokenizer.json":
        '{ "added_tokens": [{ "id": 3, "content": "<s>" }], "model": { "type": "BPE", "vocab": { "a": 0, "b": 1, "c": 2 } } }',
    },
    silent: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "vocab_size": 4 }',
      "tokenizer.json":
        '{ "added_tokens": [{ "id": 3, "content": "<s>" }], "model": { "type": "BPE", "vocab": { "a": 0, "b": 1, "c": 2 } } }',
    },
  }),
];

const smallest = (shares: readonly number[], all: number): number =>
  Math.min(...shares.filter((share) => share > 0).map((share) => share / all));

/** Tokens of the launch's tokenizer, where its files list them all; extra ids of T5 are its last. */
function tokensOf(launch: Launch): { readonly count: number; readonly span: Located["span"] } | null {
  for (const { root } of documentsOf(launch, "tokenizer")) {
    const vocabulary = at(root, "model", "vocab");
    const ids: number[] = itemsOf(at(root, "added_tokens")).flatMap((each) => numbers(at(each, "id")));
    if (vocabulary?.kind === "map") {
      for (const { value } of vocabulary.entries) ids.push(...numbers(value));
      return { count: Math.max(-1, ...ids.slice(-50_000), vocabulary.entries.length - 1) + 1, span: root.span };
    }
    if (vocabulary?.kind === "list")
      return { count: Math.max(vocabulary.items.length - 1, ...ids) + 1, span: root.span };
    const added = at(root, "added_tokens_decoder");
    if (added?.kind === "map" && typeof scalarOf(at(root, "extra_ids")) === "number")
      return { count: Math.max(...added.entries.map(({ key }) => Number(key))) + 1, span: added.span };
  }
  return null;
}

const numbers = (node: Located | undefined): readonly number[] => {
  const value = scalarOf(node);
  return typeof value === "number" ? [value] : [];
};
