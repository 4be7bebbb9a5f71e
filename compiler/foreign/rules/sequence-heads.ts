/** DeepSpeed's sequence parallelism (Ulysses) against the heads of the model. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, numberAt } from "../documents/located.ts";
import { isMegatron } from "../megatron.ts";
import { toldIn } from "../settings.ts";
import type { Degree } from "./model-parts.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

/** By the names of accelerate, of the Trainer and of programs. */
const names = [
  ...["sequence_parallel_size", "sp_size", "parallelism_config_sp_size"],
  "parallelism_config.parallelism_config_sp_size",
];

function sizesOf(launch: Launch): readonly Degree[] {
  const { accelerate, trainer, runs } = launch;
  const all = [accelerate, trainer, ...runs.filter((run) => !isMegatron(run)).map(({ options }) => options)];
  const told = all.flatMap((settings) => (settings === null ? [] : (toldIn(settings, ...names) ?? [])));
  const written = documentsOf(launch, "deepspeed").flatMap(({ root }) => at(root, "sequence_parallel_size") ?? []);
  return [
    ...told.map(({ value, span }) => ({ size: Number(value), span })),
    ...written.map((node) => ({ size: numberAt(node) ?? 1, span: node.span })),
  ].filter(({ size }) => Number.isInteger(size) && size > 1);
}

const config = (heads: number, shared: number): string =>
  `{ "model_type": "llama", "architectures": ["L"], "num_attention_heads": ${heads}, "num_key_value_heads": ${shared} }`;
const accelerate =
  "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\nparallelism_config:\n  parallelism_config_sp_size: 8\n";

export const sequenceHeadRules: readonly ForeignRule[] = [
  rule({
    name: "sequence-parallel-heads",
    source: "deepspeed/runtime/sequence_parallel/ulysses_sp.py: UlyssesSPAttentionHF.__init__",
    why: "Ulysses trades pieces of the sequence for heads before each attention: every rank gets the same number of heads, and either the ranks divide the key-value heads or the key-value heads divide the ranks. Otherwise building the first layer fails.",
    fix: "Set the sequence-parallel size to a divisor of the attention heads that divides the key-value heads, or is a multiple of them.",
    check: (launch) =>
      documentsOf(launch, "model").flatMap(({ root }): readonly Found[] => {
        const text = at(root, "text_config") ?? root;
        const [heads, shared] = [at(text, "num_attention_heads"), at(text, "num_key_value_heads")];
        const [all, keys] = [numberAt(heads), numberAt(shared)];
        return sizesOf(launch).flatMap(({ size, span }): readonly Found[] => {
          if (all === null) return [];
          if (all % size !== 0)
            return [
              {
                span,
                message: `${size} sequence-parallel ranks do not divide ${all} attention heads`,
                ...nearby("the heads", heads?.span),
              },
            ];
          return keys === null || keys % size === 0 || size % keys === 0
            ? []
            : [
                {
                  span,
                  message: `neither of ${size} sequence-parallel ranks and ${keys} key-value heads is a multiple of the other`,
                  ...nearby("the heads of keys", shared?.span),
                },
              ];
        });
      }),
    fires: { "config.json": config(52, 4), "acc.yaml": accelerate },
    silent: { "config.json": config(64, 4), "acc.yaml": accelerate },
  }),
];
