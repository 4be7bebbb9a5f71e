/** Configurations of nanotron: heads, experts, data and schedules. */
import { documentsOf } from "../launch.ts";
import { at, itemsOf, numberAt, scalarOf, type Located } from "../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const nano = (more: string): string => `general:\n  run: a\nparallelism:\n  dp: 2\n  pp: 1\n  tp: 4\n${more}`;

const model = (heads: number, shared: number): string =>
  `model:\n  model_config:\n    num_attention_heads: ${heads}\n    num_key_value_heads: ${shared}\n`;

const stages = (first: number, second: number): string =>
  `data_stages:\n  - name: a\n    start_training_step: ${first}\n  - name: b\n    start_training_step: ${second}\n`;

/** Kernels of attention that know a setting. */
const kernels: Readonly<Record<string, readonly string[]>> = {
  sliding_window_size: ["flex_attention", "flash_attention_2", "llama3_ring_attention"],
  flex_attention_mask: ["flex_attention"],
  ring_attn_heads_k_stride: ["llama3_ring_attention"],
};

interface Pair {
  readonly span: Found["span"];
  readonly message: string;
  readonly other: Located | undefined;
}

const said = ({ span, message, other }: Pair): Found => ({ span, message, ...nearby("beside", other?.span) });

export const nanotronRules: readonly ForeignRule[] = [
  rule({
    name: "nanotron-file",
    source: "nanotron/config/config.py: get_config_from_file; run_train.py: get_args",
    why: "--config-file is one YAML file, which every rank reads: a script that makes or starts one is not a configuration.",
    fix: "Give the YAML file that the script generates.",
    check: ({ runs }) =>
      runs.flatMap(({ program, options }): readonly Found[] => {
        const told = options.get("config_file");
        if (told === undefined || !/(?:^|\/)run_train\.py$/.test(program?.text ?? "")) return [];
        return /\.(?:sh|slurm|sbatch)$/.test(String(told.value))
          ? [{ span: told.span, message: `${String(told.value)} is a script, but --config-file must be a YAML file` }]
          : [];
      }),
    fires: { "run.sh": "torchrun --nproc_per_node=8 run_train.py --config-file examples/train.sh\n" },
    silent: { "run.sh": "torchrun --nproc_per_node=8 run_train.py --config-file examples/train.yaml\n" },
  }),
  rule({
    name: "nanotron-heads",
    source: "nanotron/config/config.py: Config.__post_init__",
    why: "Tensor parallelism gives every rank whole attention heads and at least one key-value head; the attention heads must be a multiple of the key-value heads.",
    fix: "Set tp to a divisor of the attention heads that is at most the number of key-value heads.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }): readonly Found[] => {
        const config = at(root, "model", "model_config");
        const [heads, shared, tensor] = [
          at(config, "num_attention_heads"),
          at(config, "num_key_value_heads"),
          at(root, "parallelism", "tp"),
        ];
        const [h, k, t] = [numberAt(heads), numberAt(shared), numberAt(tensor)];
        if (heads === undefined || h === null || t === null || tensor === undefined) return [];
        if (h % t !== 0)
          return [
            said({
              span: tensor.span,
              message: `${h} attention heads cannot be divided evenly among tp ${t}`,
              other: heads,
            }),
          ];
        if (k === null || shared === undefined) return [];
        if (h % k !== 0)
          return [
            said({
              span: shared.span,
              message: `${h} attention heads are not a multiple of ${k} key-value heads`,
              other: heads,
            }),
          ];
        return k < t
          ? [said({ span: tensor.span, message: `tp ${t} is more than ${k} key-value heads`, other: shared })]
          : [];
      }),
    fires: { "nano.yaml": nano(model(12, 2)) },
    silent: { "nano.yaml": nano(model(12, 4)) },
  }),
  rule({
    name: "nanotron-stages",
    source: "nanotron/config/config.py: Config.__post_init__ (data_stages)",
    why: "Data stages start one after the other, the first at step 1, and each has its own name.",
    fix: "Let the first stage start at step 1 and each further stage later than the one before, with its own name.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }): readonly Found[] => {
        const all = itemsOf(at(root, "data_stages"));
        const starts = all.flatMap((stage) => at(stage, "start_training_step") ?? []);
        const [first] = starts;
        if (first === undefined || starts.some((start) => numberAt(start) === null)) return [];
        const late = starts.find(
          (start, index) => index > 0 && (numberAt(start) ?? 0) <= (numberAt(starts[index - 1]) ?? 0),
        );
        if (late !== undefined)
          return [{ span: late.span, message: `step ${numberAt(late)} is not after the start of the stage before` }];
        if (!starts.some((start) => numberAt(start) === 1))
          return [{ span: first.span, message: "no data stage starts at step 1", valid: ["1"] }];
        const names = all.flatMap((stage) => at(stage, "name") ?? []);
        const twice = names.find(
          (name, index) => names.findIndex((each) => scalarOf(each) === scalarOf(name)) < index,
        );
        return twice === undefined
          ? []
          : [{ span: twice.span, message: `two data stages are called ${String(scalarOf(twice))}` }];
      }),
    fires: { "nano.yaml": nano(stages(1, 1)) },
    silent: { "nano.yaml": nano(stages(1, 100)) },
  }),
  rule({
    name: "nanotron-schedule",
    source: "nanotron/config/config.py: LRSchedulerArgs.__post_init__",
    why: "The warm-up is `linear` or `constant`, and the decay `linear`, `cosine` or `1-sqrt`.",
    fix: "Write linear or constant for the warm-up, and linear, cosine or 1-sqrt for the decay.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }): readonly Found[] => {
        const section = at(root, "optimizer", "learning_rate_scheduler");
        return (
          [
            ["lr_warmup_style", ["linear", "constant"]],
            ["lr_decay_style", ["linear", "cosine", "1-sqrt"]],
          ] as const
        ).flatMap(([key, valid]) => {
          const node = at(section, key);
          return node === undefined ||
            scalarOf(node) === null ||
            (valid as readonly string[]).includes(String(scalarOf(node)))
            ? []
            : [{ span: node.span, message: `${key} ${String(scalarOf(node))} is unknown`, valid: [...valid] }];
        });
      }),
    fires: { "nano.yaml": nano("optimizer:\n  learning_rate_scheduler:\n    lr_decay_style: cosin\n") },
    silent: { "nano.yaml": nano("optimizer:\n  learning_rate_scheduler:\n    lr_decay_style: cosine\n") },
  }),
  rule({
    name: "nanotron-attention",
    source: "nanotron/config/models_config.py: Qwen2Config.__post_init__",
    why: "A sliding window, a document mask and a stride over the heads are each supported only by some attention kernels. nanotron stops when it reads the file.",
    fix: "Set _attn_implementation to a kernel from `valid`, or remove the setting; llama3_ring_attention needs ring_attn_heads_k_stride.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }): readonly Found[] => {
        const config = at(root, "model", "model_config");
        const kernel = scalarOf(at(config, "_attn_implementation"));
        if (typeof kernel !== "string") return [];
        const found: Found[] = Object.entries(kernels).flatMap(([name, valid]): readonly Found[] => {
          const node = at(config, name);
          return node === undefined || scalarOf(node) === null || valid.includes(kernel)
            ? []
            : [{ span: node.span, message: `${name} needs _attn_implementation ${valid.join(", ")}, not ${kernel}` }];
        });
        const stride = at(config, "ring_attn_heads_k_stride");
        const place = at(config, "_attn_implementation");
        if (kernel === "llama3_ring_attention" && place !== undefined && (scalarOf(stride) ?? null) === null)
          found.push({ span: place.span, message: "llama3_ring_attention needs ring_attn_heads_k_stride" });
        return found;
      }),
    fires: { "nano.yaml": nano(`${model(8, 4)}    _attn_implementation: sdpa\n    sliding_window_size: 1024\n`) },
    silent: {
      "nano.yaml": nano(`${model(8, 4)}    _attn_implementation: flash_attention_2\n    sliding_window_size: 1024\n`),
    },
  }),
  rule({
    name: "nanotron-experts",
    source: "nanotron/config/models_config.py: MoEConfig.__post_init__; models/qwen.py: ring attention",
    why: "A token cannot go to more experts than there are. Ring attention splits a sequence into two parts per context-parallel rank.",
    fix: "Choose at most as many experts per token as there are, and a sequence length that is a multiple of 2 x context-parallel ranks.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }): readonly Found[] => {
        const config = at(root, "model", "model_config");
        const [top, experts] = [at(config, "moe_config", "top_k"), at(config, "moe_config", "num_experts")];
        const [k, n] = [numberAt(top), numberAt(experts)];
        const found: Found[] = [];
        if (top !== undefined && k !== null && n !== null && k > n)
          found.push({
            span: top.span,
            message: `${k} of ${n} experts per token`,
            ...nearby("the experts", experts?.span),
          });
        const dispatcher = at(config, "moe_config", "token_dispatcher_type");
        if (dispatcher !== undefined && !["alltoall", "allgather"].includes(String(scalarOf(dispatcher))))
          found.push({
            span: dispatcher.span,
            message: `there is no dispatcher ${String(scalarOf(dispatcher))}`,
            valid: ["alltoall", "allgather"],
          });
        const [length, ranks] = [
          at(root, "tokens", "sequence_length"),
          numberAt(at(root, "parallelism", "context_parallel_size")) ?? 1,
        ];
        const tokens = numberAt(length);
        if (length !== undefined && tokens !== null && ranks > 1 && tokens % (2 * ranks) !== 0)
          found.push({
            span: length.span,
            message: `a sequence of ${tokens} is not a multiple of 2 x ${ranks} context-parallel ranks`,
          });
        return found;
      }),
    fires: { "nano.yaml": nano("model:\n  model_config:\n    moe_config:\n      num_experts: 4\n      top_k: 8\n") },
    silent: { "nano.yaml": nano("model:\n  model_config:\n    moe_config:\n      num_experts: 8\n      top_k: 4\n") },
  }),
];
