/** nanotron, GPT-NeoX and torchtitan: what their configurations demand of a model and its layout. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, entryOf, itemsOf, numberAt, scalarOf, type Located } from "../located.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
/** GPT-NeoX writes keys with `-` or `_`. */
const neox = (root: Located, name: string) => entryOf(root, name.replaceAll("_", "-")) ?? entryOf(root, name);
const neoxNumber = (root: Located, name: string): number | null => numberAt(neox(root, name)?.value);

const nano = (more: string): string => `general:\n  run: a\nparallelism:\n  dp: 2\n  pp: 1\n  tp: 4\n${more}`;
const model = (heads: number, shared: number): string =>
  `model:\n  model_config:\n    num_attention_heads: ${heads}\n    num_key_value_heads: ${shared}\n`;
const stages = (first: number, second: number): string =>
  `data_stages:\n  - name: a\n    start_training_step: ${first}\n  - name: b\n    start_training_step: ${second}\n`;
const base =
  "pipe-parallel-size: 1\nmodel-parallel-size: 1\ntrain_micro_batch_size_per_gpu: 4\ncheckpoint-factor: 100\n";
const titan = (shard: number): string =>
  `torchrun --nproc-per-node=8 -m torchtitan.train --parallelism.data_parallel_shard_degree ${shard} --parallelism.tensor_parallel_degree 2\n`;

interface Pair {
  readonly span: Found["span"];
  readonly message: string;
  readonly other: Located | undefined;
}
const said = ({ span, message, other }: Pair): Found => ({ span, message, ...nearby("beside", other?.span) });

export const otherTrainerRules: readonly ForeignRule[] = [
  rule({
    name: "nanotron-heads",
    source: "nanotron/config/config.py: Config.__post_init__",
    why: "Tensor parallelism gives every rank whole attention heads and at least one head of keys and values; heads are a multiple of those.",
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
            said({ span: tensor.span, message: `${h} attention heads do not divide among tp ${t}`, other: heads }),
          ];
        if (k === null || shared === undefined) return [];
        if (h % k !== 0)
          return [
            said({
              span: shared.span,
              message: `${h} attention heads are no multiple of ${k} heads of keys`,
              other: heads,
            }),
          ];
        return k < t
          ? [said({ span: tensor.span, message: `tp ${t} is more than ${k} heads of keys`, other: shared })]
          : [];
      }),
    fires: { "nano.yaml": nano(model(12, 2)) },
    silent: { "nano.yaml": nano(model(12, 4)) },
  }),
  rule({
    name: "nanotron-stages",
    source: "nanotron/config/config.py: Config.__post_init__ (data_stages)",
    why: "Stages of data begin one after the other, the first at step 1, each with a name of its own.",
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
          return [{ span: late.span, message: `step ${numberAt(late)} is not behind the stage before` }];
        if (!starts.some((start) => numberAt(start) === 1))
          return [{ span: first.span, message: "no stage begins at step 1", valid: ["1"] }];
        const names = all.flatMap((stage) => at(stage, "name") ?? []);
        const twice = names.find(
          (name, index) => names.findIndex((each) => scalarOf(each) === scalarOf(name)) < index,
        );
        return twice === undefined
          ? []
          : [{ span: twice.span, message: `two stages are called ${String(scalarOf(twice))}` }];
      }),
    fires: { "nano.yaml": nano(stages(1, 1)) },
    silent: { "nano.yaml": nano(stages(1, 100)) },
  }),
  rule({
    name: "nanotron-schedule",
    source: "nanotron/config/config.py: LRSchedulerArgs.__post_init__",
    why: "The rate rises `linear` or stays `constant`, and falls `linear`, `cosine` or `1-sqrt`.",
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
    name: "neox-model",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.validate_values, calculate_derived",
    why: "The width divides among heads, heads of keys among model-parallel ranks; positions reach the length of a sequence; the lowest rate is below the highest.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const place = (name: string): Found["span"] => neox(root, name)?.value.span ?? root.span;
        const value = (name: string): number | null => neoxNumber(root, name);
        const [hidden, heads, shared, tensor] = [
          value("hidden_size"),
          value("num_attention_heads"),
          value("num_kv_heads"),
          value("model_parallel_size") ?? 1,
        ];
        const [positions, length] = [value("max_position_embeddings"), value("seq_length")];
        const found: Found[] = [];
        if (hidden !== null && heads !== null && hidden % heads !== 0)
          found.push({
            span: place("num_attention_heads"),
            message: `a hidden size of ${hidden} does not divide among ${heads} heads`,
            ...nearby("the hidden size", place("hidden_size")),
          });
        if (heads !== null && shared !== null && heads % shared !== 0)
          found.push({
            span: place("num_kv_heads"),
            message: `${heads} heads are no multiple of ${shared} heads of keys`,
          });
        else if (shared !== null && shared % tensor !== 0)
          found.push({
            span: place("num_kv_heads"),
            message: `${shared} heads of keys do not divide among ${tensor} model-parallel ranks`,
          });
        if (positions !== null && length !== null && positions < length)
          found.push({
            span: place("max_position_embeddings"),
            message: `${positions} positions are fewer than a sequence of ${length}`,
            ...nearby("the sequence", place("seq_length")),
          });
        const rate = numberAt(at(root, "optimizer", "params", "lr"));
        const least = value("min_lr");
        if (rate !== null && least !== null && least > rate)
          found.push({ span: place("min_lr"), message: `min_lr ${least} is above lr ${rate}` });
        return found;
      }),
    fires: { "neox.yaml": `${base}hidden-size: 100\nnum-attention-heads: 12\n` },
    silent: { "neox.yaml": `${base}hidden-size: 96\nnum-attention-heads: 12\n` },
  }),
  rule({
    name: "neox-data",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.validate_values (data paths)",
    why: "Either one `data-path`, which is split, or `train-`, `valid-` and `test-data-paths`, all of them.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const names = ["train_data_paths", "valid_data_paths", "test_data_paths"];
        const own = names.flatMap((name) => neox(root, name) ?? []);
        const whole = neox(root, "data_path");
        if (own.length === 0) return [];
        const [first] = own;
        if (whole !== undefined && first !== undefined)
          return [
            {
              span: whole.keySpan,
              message: "data-path stands beside data paths of their own",
              ...nearby("those", first.keySpan),
            },
          ];
        const missing = names.filter((name) => neox(root, name) === undefined);
        return missing.length === 0 || first === undefined
          ? []
          : [
              {
                span: first.keySpan,
                message: `${missing.map((name) => name.replaceAll("_", "-")).join(" and ")} ${missing.length === 1 ? "is" : "are"} missing beside it`,
              },
            ];
      }),
    fires: { "neox.yaml": `${base}train-data-paths: [a]\nvalid-data-paths: [b]\n` },
    silent: { "neox.yaml": `${base}train-data-paths: [a]\nvalid-data-paths: [b]\ntest-data-paths: [c]\n` },
  }),
  rule({
    name: "neox-zero",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.validate_values (MoE, Mamba, RWKV)",
    why: "Experts in GPT-NeoX go with ZeRO 0 and 1, Mamba and RWKV layers with 0 to 2.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "zero_optimization", "stage") ?? at(root, "zero-optimization", "stage");
        const stage = numberAt(node);
        const experts = neoxNumber(root, "moe_num_experts") ?? 1;
        const kinds = neox(root, "attention_config");
        const text =
          kinds === undefined
            ? ""
            : kinds.value.span.source.text.slice(kinds.value.span.start, kinds.value.span.end + 40);
        if (node === undefined || stage === null) return [];
        if (experts > 1 && stage >= 2)
          return [
            { span: node.span, message: `${experts} experts go with ZeRO 0 or 1, not ${stage}`, valid: ["0", "1"] },
          ];
        const kind = /mamba|rwkv/.exec(text)?.[0];
        return kind !== undefined && stage > 2
          ? [{ span: node.span, message: `${kind} layers go with ZeRO 0 to 2`, valid: ["0", "1", "2"] }]
          : [];
      }),
    fires: { "neox.yaml": `${base}moe-num-experts: 8\nzero_optimization:\n  stage: 2\n` },
    silent: { "neox.yaml": `${base}moe-num-experts: 8\nzero_optimization:\n  stage: 1\n` },
  }),
  rule({
    name: "torchtitan-world",
    source: "torchtitan/distributed/parallel_dims.py: ParallelDims._validate",
    why: "Replicas x shards x context x tensor x pipeline ranks are all ranks; one of the shards may be -1, which takes what is left.",
    check: (launch) => launch.runs.flatMap((run) => titanWorld(run.options, launch)),
    fires: { "run.sh": titan(2) },
    silent: { "run.sh": titan(4) },
  }),
];

function titanWorld(
  options: ReadonlyMap<string, { readonly value: unknown; readonly span: Found["span"] }>,
  { world }: Launch,
): readonly Found[] {
  const names = [
    "data_parallel_replicate",
    "data_parallel_shard",
    "context_parallel",
    "tensor_parallel",
    "pipeline_parallel",
  ];
  const told = names.flatMap((name) => {
    const one = options.get(`parallelism.${name}_degree`);
    return one === undefined ? [] : [{ name, span: one.span, size: Number(one.value) }];
  });
  const [first] = told;
  const shard = told.find(({ name }) => name === "data_parallel_shard");
  if (first === undefined || world.size === null || told.some(({ size }) => !Number.isInteger(size))) return [];
  const wrong = told.find(({ size, name }) => size < 1 && !(name === "data_parallel_shard" && size === -1));
  if (wrong !== undefined) return [{ span: wrong.span, message: `${wrong.name}_degree ${wrong.size} is below 1` }];
  const product = told.reduce((all, { size }) => all * Math.max(1, size), 1);
  const open = shard === undefined || shard.size === -1;
  if (open ? world.size % product === 0 : product === world.size) return [];
  return [
    {
      span: (shard ?? first).span,
      message: `the degrees make ${product} and there are ${world.size} ranks`,
      ...nearby("ranks", world.said[0]?.span),
    },
  ];
}
