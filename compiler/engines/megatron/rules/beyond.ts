/** What no check of the engine looks at, and what stops the run where it is used: at the first save, the first batch, the first report. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const saving = rulesOf("megatron/training/checkpointing.py: save_checkpoint");
const reports = rulesOf("megatron/training/global_vars.py: _set_wandb_writer");
const turns = rulesOf("megatron/training/datasets/sft_dataset.py: SFTLowLevelDataset, SFTDataset.__getitem__");
const masks = rulesOf("megatron/core/datasets/gpt_dataset.py: _get_ltor_masks_and_position_ids");

/** Tokenizers of text: only SFTTokenizer and MultimodalTokenizer have `tokenize_conversation`. */
const ofText: ReadonlySet<string> = new Set([
  ...["NullTokenizer", "GPT2BPETokenizer", "SentencePieceTokenizer", "GPTSentencePieceTokenizer"],
  ...["Llama2Tokenizer", "TikTokenizer", "HuggingFaceTokenizer"],
]);

/** What `tools/preprocess_data.py` writes is named so. */
const indexed = /(?:_document|_sentence|\.bin|\.idx)$/;

const pathsOf = (a: Arguments): readonly string[] => [
  ...(a.data_path ?? []),
  ...(a.train_data_path ?? []),
  ...(a.valid_data_path ?? []),
  ...(a.test_data_path ?? []),
];

export const beyond: readonly Step[] = [
  saving.ban("checkpoint-async-torch", {
    about: ["ckpt_format", "async_save"],
    when: (a) => a.async_save && a.ckpt_format === "torch" && a.save !== null,
    says: "--async-save cannot write --ckpt-format torch",
    why: "Only torch_dist can be written by a background worker; with the old format the first save stops the run.",
    fix: "Write --ckpt-format torch_dist, or leave --async-save out.",
    severity: "warning",
    fires: "--async-save --use-persistent-ckpt-worker --ckpt-format torch --save out --save-interval 10",
    silent: "--async-save --use-persistent-ckpt-worker --ckpt-format torch_dist --save out --save-interval 10",
  }),
  reports.ban("wandb-name", {
    about: ["wandb_project", "wandb_exp_name"],
    when: (a) => (a.wandb_project ?? "") !== "" && a.wandb_exp_name === "",
    says: "--wandb-project needs --wandb-exp-name",
    why: "The last rank refuses an experiment without a name once all ranks have started. Before core 0.16 the default name is empty; later wandb chooses one.",
    fix: "Add --wandb-exp-name NAME, or leave --wandb-project out.",
    severity: "warning",
    fires: "--wandb-project runs --wandb-exp-name=",
    silent: "--wandb-project runs --wandb-exp-name first",
  }),
  turns.demand("sft-tokenizer", {
    about: ["tokenizer_type", "sft"],
    check: (a) =>
      a.sft && !a.mock_data && a.tokenizer_type !== null && ofText.has(a.tokenizer_type)
        ? `--sft reads conversations, and --tokenizer-type ${a.tokenizer_type} has no form for them`
        : null,
    valid: () => ["SFTTokenizer"],
    why: "Each sample of --sft is a list of messages, which the tokenizer formats with its chat template. Tokenizers for plain text cannot do that, and the first batch stops the run.",
    fix: "Write --tokenizer-type SFTTokenizer with --tokenizer-model, or leave --sft out.",
    severity: "warning",
    base: "unmocked",
    fires: "--sft --data-path chats.jsonl --no-create-attention-mask-in-dataloader",
    silent: "--data-path chats.jsonl",
  }),
  turns.demand("sft-indexed", {
    about: ["sft", "data_path", "train_data_path"],
    check: (a) => {
      const path = a.sft && !a.mock_data ? pathsOf(a).find((each) => indexed.test(each)) : undefined;
      return path === undefined ? null : `--sft reads JSON lines, and ${path} names token ids with an index`;
    },
    why: "With --sft each path is opened as a JSON Lines file whose lines have `messages`. The output of tools/preprocess_data.py has none, and the dataset cannot be built.",
    fix: "Give the JSON Lines files themselves, or leave --sft out.",
    severity: "warning",
    base: "unmocked",
    fires:
      "--sft --tokenizer-type SFTTokenizer --tokenizer-model m --train-data-path chats_text_document --no-create-attention-mask-in-dataloader",
    silent:
      "--sft --tokenizer-type SFTTokenizer --tokenizer-model m --train-data-path chats.jsonl --no-create-attention-mask-in-dataloader",
  }),
  turns.demand("sft-masks", {
    about: ["sft", "create_attention_mask_in_dataloader", "reset_position_ids"],
    check: (a) => {
      if (!a.sft || a.mock_data) return null;
      if (a.reset_position_ids)
        return "--sft counts the places of each conversation by itself, and refuses --reset-position-ids";
      return a.create_attention_mask_in_dataloader
        ? "--sft makes no attention masks, and needs --no-create-attention-mask-in-dataloader"
        : null;
    },
    why: "The dataset asserts both when it creates its first sample, after all ranks have started and the model is built.",
    fix: "Add --no-create-attention-mask-in-dataloader, and leave --reset-position-ids out.",
    severity: "warning",
    base: "unmocked",
    fires: "--sft --tokenizer-type SFTTokenizer --tokenizer-model m --data-path chats.jsonl",
    silent:
      "--sft --tokenizer-type SFTTokenizer --tokenizer-model m --data-path chats.jsonl --no-create-attention-mask-in-dataloader",
  }),
  turns.demand("sft-micro-batch", {
    about: ["sft", "micro_batch_size"],
    check: (a) =>
      a.sft && !a.mock_data && (a.micro_batch_size ?? 1) > 1
        ? `--sft packs conversations, and ${a.micro_batch_size} samples of them are not stacked before core 0.19: --micro-batch-size 1`
        : null,
    valid: () => ["1"],
    why: "Before core 0.19 the ends of a sample's conversations are lists of different lengths, which cannot be batched (megatron/training/utils.py: get_batch_on_this_tp_rank asserts one).",
    fix: "Write --micro-batch-size 1 with a longer --seq-length, or use core 0.19.",
    severity: "warning",
    base: "unmocked",
    fires:
      "--sft --tokenizer-type SFTTokenizer --tokenizer-model m --data-path chats.jsonl --no-create-attention-mask-in-dataloader --micro-batch-size 2",
    silent:
      "--sft --tokenizer-type SFTTokenizer --tokenizer-model m --data-path chats.jsonl --no-create-attention-mask-in-dataloader --micro-batch-size 1",
    gone: "0.19",
  }),
  masks.ban("mask-reset-unmade", {
    about: ["reset_attention_mask", "create_attention_mask_in_dataloader"],
    when: (a) => a.reset_attention_mask && !a.create_attention_mask_in_dataloader,
    says: "--reset-attention-mask changes nothing with --no-create-attention-mask-in-dataloader",
    why: "The mask that would be reset at the end of each document is never created: tokens still attend to earlier documents.",
    fix: "Leave --reset-attention-mask out, or --no-create-attention-mask-in-dataloader.",
    severity: "warning",
    fires: "--reset-attention-mask --no-create-attention-mask-in-dataloader",
    silent: "--reset-attention-mask",
  }),
];
