/** Files that GPT-NeoX's tokenizers want. */
import { documentsOf } from "../../launch.ts";
import { scalarOf } from "../../documents/located.ts";
import { neox } from "./neox.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const base =
  "pipe-parallel-size: 1\nmodel-parallel-size: 1\ntrain_micro_batch_size_per_gpu: 4\ncheckpoint-factor: 100\n";

const files: ReadonlyMap<string, readonly string[]> = new Map([
  ["GPT2BPETokenizer", ["vocab_file", "merge_file"]],
  ["HFTokenizer", ["vocab_file"]],
  ["HFGPT2Tokenizer", []],
  ["SPMTokenizer", ["vocab_file"]],
  ["TiktokenTokenizer", ["vocab_file"]],
]);

export const neoxTokenizerRules: readonly ForeignRule[] = [
  rule({
    name: "neox-tokenizer",
    severity: "info",
    source: "megatron/tokenizer/tokenizer.py: build_tokenizer",
    why: "A tokenizer is read from its files, and without them GPT-NeoX stops on an assertion without a message. Its configuration is often spread over several files, and another one may name them.",
    fix: "Name vocab-file, and merge-file for GPT2BPETokenizer, in one of the launch's files.",
    check: (launch) => {
      const documents = documentsOf(launch, "gpt-neox");
      const told = documents.map(({ root }) => neox(root, "tokenizer_type")).find((entry) => entry !== undefined);
      const kind = String(scalarOf(told?.value) ?? "");
      const missing = (files.get(kind) ?? []).filter((name) =>
        documents.every(({ root }) => neox(root, name) === undefined),
      );
      if (told === undefined || missing.length === 0) return [];
      return [
        {
          span: told.value.span,
          message: `${kind} needs ${missing.map((name) => name.replaceAll("_", "-")).join(" and ")}, which none of these files names`,
        },
      ] satisfies Found[];
    },
    fires: { "neox.yaml": `${base}tokenizer-type: GPT2BPETokenizer\n` },
    silent: {
      "neox.yaml": `${base}tokenizer-type: GPT2BPETokenizer\n`,
      "setup.yaml": "vocab-file: v.json\nmerge-file: m.txt\ndata-path: d\n",
    },
  }),
];
