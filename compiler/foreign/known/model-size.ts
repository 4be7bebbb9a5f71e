import type { Span } from "../../../dsl/source/source.ts";
import { gpus } from "../../hardware/gpus.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf, type Located } from "../documents/located.ts";
import { given, saidIn } from "../said.ts";

export interface ModelSize {
  readonly parameters: number;
  readonly span: Span;
}

const number = (root: Located, ...names: readonly string[]): number | null => {
  for (const name of names) {
    const value = scalarOf(at(root, name));
    if (typeof value === "number") return value;
  }
  return null;
};

/** Families whose feed-forward has two matrices; all newer ones gate it with a third. Source: transformers/models/. */
const ungated = /^(?:gpt2|gpt_neox|gpt_neo|gptj|gpt_bigcode|opt|bloom|falcon|mpt|bert|roberta|phi|t5)$/;

/** About how many parameters the trained model has: counted from its `config.json`, else as its name says. */
export function modelSize(launch: Launch): ModelSize | null {
  for (const { root } of documentsOf(launch, "model")) {
    const parameters = counted(at(root, "text_config") ?? root);
    if (parameters !== null) return { parameters, span: root.span };
  }
  const told = given(saidIn(launch), "model_name_or_path", "base_model", "model_name", "model");
  const name = /(?:^|[-_/])(\d+(?:\.\d+)?)b(?:$|[-_./])/i.exec(String(told?.value ?? ""));
  return told === undefined || name === null ? null : { parameters: Number(name[1]) * 1e9, span: told.span };
}

function counted(root: Located): number | null {
  const hidden = number(root, "hidden_size", "n_embd", "d_model");
  const layers = number(root, "num_hidden_layers", "n_layer", "n_layers", "num_layers");
  const vocabulary = number(root, "vocab_size");
  if (hidden === null || layers === null || vocabulary === null) return null;
  const heads = number(root, "num_attention_heads", "n_head") ?? 1;
  const head = number(root, "head_dim") ?? hidden / heads;
  const shared = number(root, "num_key_value_heads") ?? heads;
  const wide = number(root, "moe_intermediate_size", "intermediate_size", "n_inner", "ffn_dim") ?? 4 * hidden;
  const matrices = ungated.test(String(scalarOf(at(root, "model_type")))) ? 2 : 3;
  const experts = number(root, "num_experts", "num_local_experts", "n_routed_experts") ?? 1;
  const tied = scalarOf(at(root, "tie_word_embeddings")) === true;
  const layer = 2 * hidden * head * (heads + shared) + matrices * hidden * wide * experts;
  return layers * layer + (tied ? 1 : 2) * vocabulary * hidden;
}

/** Bytes of a GPU by its name: what the name says, else what the vendor does. */
export function memoryOf(gpu: string | null): number | null {
  if (gpu === null) return null;
  const named = /(\d+)\s*gi?b?\b/i.exec(gpu.replaceAll("_", " "));
  if (named !== null) return Number(named[1]) * 2 ** 30;
  const plain = gpu.toLowerCase().replaceAll("-", "_");
  return gpus.find(({ name }) => name === plain || name.startsWith(`${plain}_`))?.memory ?? null;
}

export const gigabytes = (bytes: number): string =>
  `${bytes >= 1e10 ? Math.round(bytes / 1e9) : (bytes / 1e9).toFixed(1)} GB`;
