/** A model's own configuration against the launch that names it. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, entryOf, numberAt, type Located } from "../documents/located.ts";
import { isMegatron } from "../megatron.ts";
import { toldIn, type Settings, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

/** Tensor parallelism by all the names that programs have for it. */
export const tensorNames = [
  "tensor_parallel_size",
  "tensor_model_parallel_size",
  "tp_size",
  "tp",
  "tensor_parallel",
  "model_parallel_size",
  "actor_rollout_ref.rollout.tensor_model_parallel_size",
  "actor_rollout_ref.rollout.tensor_parallel_size",
];

/** That of transformers' own layers, which copies no heads of keys. */
const plainNames = ["parallelism_config.parallelism_config_tp_size", "parallelism_config_tp_size"];

const expertNames = ["expert_parallel_size", "expert_model_parallel_size", "ep_size", "ep", "expert_parallel"];

export interface Degree {
  readonly size: number;
  readonly span: Told["span"];
}

const divisorsOf = (count: number): readonly string[] =>
  Array.from({ length: Math.min(count, 512) }, (_, at) => at + 1)
    .filter((each) => count % each === 0)
    .map(String);

const texts = (root: Located): Located => at(root, "text_config") ?? root;

export const modelPartRules: readonly ForeignRule[] = [
  rule({
    name: "tensor-parallel-heads",
    source: "vllm/config: verify_with_parallel_config; deepspeed/module_inject/auto_tp.py; each engine's attention",
    why: "Tensor parallelism gives every rank a whole number of attention heads, in every tower of a model; expert parallelism gives it a whole number of experts.",
    fix: "Choose a tensor-parallel size that divides the heads (and the experts) counted in the message.",
    check: (launch) =>
      documentsOf(launch, "model").flatMap(({ root }) => {
        const found: Found[] = degrees(launch, tensorNames).flatMap(({ size, span }) =>
          heads(root)
            .filter(({ count }) => count % size !== 0)
            .map(({ what, count, span: there }) => ({
              span,
              message: `${size} tensor-parallel ranks do not divide ${count} ${what}`,
              valid: divisorsOf(count),
              ...nearby(what, there),
            })),
        );
        const node = ["num_experts", "num_local_experts", "n_routed_experts"]
          .map((key) => at(texts(root), key))
          .find((each) => each !== undefined);
        const experts = numberAt(node);
        const expert: Found[] = degrees(launch, expertNames)
          .filter(({ size }) => experts !== null && experts % size !== 0)
          .map(({ size, span }) => ({
            span,
            message: `${size} expert-parallel ranks do not divide ${experts} experts`,
            valid: divisorsOf(experts ?? 1),
            ...nearby("experts", node?.span),
          }));
        const told = launch.accelerate === null ? undefined : toldIn(launch.accelerate, ...plainNames);
        const size = Number(told?.value);
        const shared = at(texts(root), "num_key_value_heads");
        const parts = [
          ...heads(root),
          { what: "heads of keys", count: numberAt(shared) ?? size, span: shared?.span },
        ];
        const plain: Found[] = parts
          .filter(({ count }) => told !== undefined && size > 1 && count % size !== 0)
          .map(({ what, count, span }) => ({
            span: told?.span ?? root.span,
            message: `${size} tensor-parallel ranks do not divide ${count} ${what}`,
            valid: divisorsOf(count),
            ...nearby(what, span),
          }));
        return [...found, ...expert, ...plain];
      }),
    fires: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "num_attention_heads": 52 }',
      "run.sh": "python -m vllm.entrypoints.api_server --tensor-parallel-size 8\n",
    },
    silent: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "num_attention_heads": 52 }',
      "run.sh": "python -m vllm.entrypoints.api_server --tensor-parallel-size 4\n",
    },
  }),
  rule({
    name: "token-id-range",
    source: "torch/nn/modules/sparse.py: Embedding",
    why: "Token ids begin at 0, and a vocabulary of N rows ends at N - 1: an id of N reads past the embedding, which on a GPU shows as a device-side assert somewhere else.",
    fix: "Resize the embedding to the tokenizer's size (resize_token_embeddings) and set vocab_size, or correct the id.",
    check: (launch) =>
      documentsOf(launch, "model").flatMap(({ root }) => {
        const vocabulary = numberAt(at(texts(root), "vocab_size"));
        const places: readonly Located[] = [root, ...documentsOf(launch, "tokenizer").map((each) => each.root)];
        if (vocabulary === null) return [];
        const ids = places.flatMap((each) =>
          ["pad_token_id", "bos_token_id", "eos_token_id", "unk_token_id"].flatMap((key) => entryOf(each, key) ?? []),
        );
        const added = documentsOf(launch, "tokenizer").flatMap((each) => {
          const tokens = at(each.root, "added_tokens_decoder");
          return tokens?.kind === "map"
            ? tokens.entries.map(({ key, keySpan }) => ({
                id: Number(key),
                span: keySpan,
                name: `added token ${key}`,
              }))
            : [];
        });
        return [
          ...ids.map(({ key, value }) => ({ id: numberAt(value) ?? -1, span: value.span, name: key })),
          ...added,
        ]
          .filter(({ id }) => id >= vocabulary)
          .map(({ span, id, name }) => ({
            span,
            message: `${name === `added token ${id}` ? name : `${name} ${id}`} has no row: the model has ${vocabulary} rows, 0 to ${vocabulary - 1}`,
            ...nearby("rows", at(texts(root), "vocab_size")?.span),
          }));
      }),
    fires: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "vocab_size": 32001, "pad_token_id": 32001 }',
    },
    silent: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "vocab_size": 32001, "pad_token_id": 32000 }',
    },
  }),
];

export function degrees(launch: Launch, names: readonly string[]): readonly Degree[] {
  const all: readonly (Settings | null)[] = [
    ...launch.runs.filter((run) => !isMegatron(run)).map(({ options }) => options),
    launch.trainer,
  ];
  const told = all.flatMap((settings) => {
    const one = settings === null ? undefined : toldIn(settings, ...names);
    const size = Number(one?.value);
    return one !== undefined && Number.isInteger(size) && size > 1 ? [{ size, span: one.span }] : [];
  });
  const auto =
    names === tensorNames
      ? documentsOf(launch, "deepspeed")
          .flatMap(({ root }) => [at(root, "tensor_parallel", "autotp_size") ?? []])
          .flat()
      : [];
  return [
    ...told,
    ...auto.flatMap((node) => ((numberAt(node) ?? 0) > 1 ? [{ size: numberAt(node) ?? 1, span: node.span }] : [])),
  ];
}

/** Parts of a model that a tensor-parallel degree divides. */
function heads(
  root: Located,
): readonly { readonly what: string; readonly count: number; readonly span: Told["span"] }[] {
  const parts: readonly (readonly [string, Located | undefined])[] = [
    ["attention heads", at(texts(root), "num_attention_heads")],
    [
      "attention heads of the vision tower",
      at(root, "vision_config", "num_attention_heads") ?? at(root, "vision_config", "num_heads"),
    ],
  ];
  return parts.flatMap(([what, node]) => {
    const count = numberAt(node);
    return node === undefined || count === null ? [] : [{ what, count, span: node.span }];
  });
}
