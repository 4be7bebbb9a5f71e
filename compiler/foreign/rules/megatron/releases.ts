/** What older releases of Megatron refuse and the newest do not: asked where a file or the command line names the release. */
import { below } from "../../../engines/release.ts";
import { enginesOf } from "../../engines.ts";
import type { Launch, Run } from "../../launch.ts";
import { isFork, isMegatron } from "../../megatron.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const run = (words: string): string =>
  `torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --bf16 ${words}\n`;

const before =
  (limit: string, check: (run: Run) => readonly Found[]) =>
  (launch: Launch): readonly Found[] => {
    const megatron = enginesOf(launch).find(({ engine }) => engine === "megatron");
    return megatron?.written == null || !below(megatron.version, limit)
      ? []
      : launch.runs.filter((each) => isMegatron(each) && !isFork(each)).flatMap(check);
  };

/** Tokenizers of that time, and the files that each wants. */
const files: ReadonlyMap<string, readonly string[]> = new Map([
  ["GPT2BPETokenizer", ["vocab_file", "merge_file"]],
  ["BertWordPieceLowerCase", ["vocab_file"]],
  ["BertWordPieceCase", ["vocab_file"]],
  ["SentencePieceTokenizer", ["tokenizer_model"]],
  ["GPTSentencePieceTokenizer", ["tokenizer_model"]],
  ["Llama2Tokenizer", ["tokenizer_model"]],
  ["TikTokenizer", ["tokenizer_model"]],
]);

export const megatronReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "megatron-tokenizer-files",
    source: "megatron/training/tokenizer/tokenizer.py: build_tokenizer (before core 0.15)",
    why: "Until core 0.14 each tokenizer needs its files, even with mock data, and stops on an assertion without a message. Later releases fetch those of GPT-2 themselves.",
    fix: "Give the files, or --tokenizer-type NullTokenizer with --vocab-size for mock data.",
    check: before("0.15", ({ options, open }) => {
      const told = options.get("tokenizer_type");
      const missing = (files.get(String(told?.value ?? "")) ?? []).filter((name) => !options.has(name));
      if (told === undefined || open || missing.length === 0) return [];
      return [
        {
          span: told.span,
          message: `${String(told.value)} needs ${missing.map((name) => `--${name.replaceAll("_", "-")}`).join(" and ")}`,
        },
      ];
    }),
    fires: { "run.sh": run("--tokenizer-type GPT2BPETokenizer --mock-data") },
    silent: { "run.sh": run("--tokenizer-type NullTokenizer --vocab-size 1000 --mock-data") },
    supplied: { engines: new Map([["megatron", "0.12"]]) },
  }),
  rule({
    name: "megatron-capacity-dispatcher",
    source: "megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (before core 0.12)",
    why: "In these releases only the alltoall dispatcher drops tokens beyond an expert's capacity; allgather, the default, refuses a capacity.",
    fix: "Write --moe-token-dispatcher-type alltoall, or remove --moe-expert-capacity-factor.",
    check: before("0.12", ({ options }) => {
      const [capacity, kind] = [options.get("moe_expert_capacity_factor"), options.get("moe_token_dispatcher_type")];
      if (capacity === undefined || !capacity.known || kind?.known === false) return [];
      const dispatcher = String(kind?.value ?? "allgather");
      if (dispatcher.startsWith("alltoall") || dispatcher === "flex") return [];
      return [
        {
          span: (kind ?? capacity).span,
          message: `the dispatcher ${dispatcher} does not support an expert capacity`,
          valid: ["alltoall"],
          ...nearby("the capacity", capacity.nameSpan),
        },
      ];
    }),
    fires: {
      "run.sh": run(
        "--num-experts 8 --moe-expert-capacity-factor 1.0 --moe-token-dispatcher-type allgather --disable-bias-linear",
      ),
    },
    silent: {
      "run.sh": run(
        "--num-experts 8 --moe-expert-capacity-factor 1.0 --moe-token-dispatcher-type alltoall --disable-bias-linear",
      ),
    },
    supplied: { engines: new Map([["megatron", "0.10"]]) },
  }),
  rule({
    name: "megatron-groups-ranks",
    source: "megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (before core 0.16)",
    why: "Until core 0.15 each tensor-parallel rank holds whole query groups. From 0.16 on several ranks may share one.",
    fix: "Choose a --tensor-model-parallel-size that divides --num-query-groups, or use Megatron core 0.16.",
    check: before("0.16", ({ options }) => {
      const [groups, ranks] = [options.get("num_query_groups"), options.get("tensor_model_parallel_size")];
      if (groups === undefined || ranks === undefined || !groups.known || !ranks.known) return [];
      const [has, among] = [Number(groups.value), Number(ranks.value)];
      // What no release takes is told by the rule of them all.
      if (!(has > 0) || !(among > 0) || !options.has("group_query_attention") || among % has !== 0 || has >= among)
        return [];
      return [
        {
          span: groups.span,
          message: `${has} query groups cannot be divided evenly among ${among} tensor-parallel ranks`,
          ...nearby("the ranks", ranks.span),
        },
      ];
    }),
    fires: { "run.sh": run("--group-query-attention --num-query-groups 2 --tensor-model-parallel-size 4") },
    silent: { "run.sh": run("--group-query-attention --num-query-groups 4 --tensor-model-parallel-size 4") },
    supplied: { engines: new Map([["megatron", "0.15"]]) },
  }),
];
