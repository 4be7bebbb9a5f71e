/** The configurations of other tools that are read. */
import type { Listing } from "../launch.ts";

export const documentKinds = [
  "deepspeed",
  "training-arguments",
  "accelerate",
  "axolotl",
  "llama-factory",
  "gpt-neox",
  "nanotron",
  "torchtitan",
  "composer",
  "submitit",
  "lightning",
  "nemo",
  "fairchem",
  "kubernetes",
  "skypilot",
  "torchtune",
  "litgpt",
  "fsdp",
  "model",
  "tokenizer",
] as const;

export type DocumentKind = (typeof documentKinds)[number];

/** How files of a kind are called in messages. */
export const kindNames: Readonly<Record<DocumentKind | Listing["kind"] | "script", string>> = {
  script: "a shell or sbatch script",
  hostfile: "a hostfile",
  requirements: "a list of packages",
  deepspeed: "a DeepSpeed configuration",
  "training-arguments": "TrainingArguments of transformers",
  accelerate: "an accelerate configuration",
  axolotl: "an Axolotl configuration",
  "llama-factory": "a LLaMA-Factory configuration",
  "gpt-neox": "a GPT-NeoX configuration",
  nanotron: "a nanotron configuration",
  torchtitan: "a torchtitan configuration",
  composer: "a Composer configuration",
  submitit: "a submitit configuration of hydra",
  lightning: "a configuration of Lightning",
  nemo: "a configuration of NeMo or Megatron Bridge",
  fairchem: "a configuration of fairchem",
  kubernetes: "a Kubernetes manifest",
  skypilot: "a task of SkyPilot",
  torchtune: "a configuration of torchtune",
  litgpt: "a configuration of LitGPT",
  fsdp: "the fsdp_config of TrainingArguments",
  model: "a model's config.json",
  tokenizer: "a tokenizer's configuration",
};
