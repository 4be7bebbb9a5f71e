/** Configurations of GPT-NeoX against themselves and the ranks of the launch. */
import { documentsOf } from "../../launch.ts";
import { at, entryOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const neoxNumber = (root: Located, name: string): number | null => numberAt(neox(root, name)?.value);

export const neoxBase =
  "pipe-parallel-size: 1\nmodel-parallel-size: 1\ntrain_micro_batch_size_per_gpu: 4\ncheckpoint-factor: 100\n";

export const neoxRules: readonly ForeignRule[] = [
  rule({
    name: "neox-world",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.calculate_derived, calculate_batch_parameters",
    why: "The number of ranks is pipeline stages x model-parallel ranks x data-parallel ranks, and the batch is micro-batch x accumulation x data-parallel ranks, all whole numbers.",
    fix: "Choose sizes whose product divides the ranks, and set train_batch_size to micro-batch x accumulation x data-parallel ranks; one of the three may be left out.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const world = launch.world.size ?? neoxNumber(root, "num_gpus") ?? neoxNumber(root, "global_num_gpus");
        const [pipe, model] = [
          Math.max(1, neoxNumber(root, "pipe_parallel_size") ?? 1),
          Math.max(1, neoxNumber(root, "model_parallel_size") ?? 1),
        ];
        const place = neox(root, "pipe_parallel_size") ?? neox(root, "model_parallel_size");
        if (world === null || place === undefined) return [];
        if (world % (pipe * model) !== 0)
          return [
            {
              span: place.value.span,
              message: `${pipe} pipeline stages x ${model} model-parallel ranks do not divide ${world} GPUs`,
              ...nearby("model parallelism", neox(root, "model_parallel_size")?.value.span),
            },
          ];
        const [total, micro, accumulation] = [
          neoxNumber(root, "train_batch_size"),
          neoxNumber(root, "train_micro_batch_size_per_gpu"),
          neoxNumber(root, "gradient_accumulation_steps"),
        ];
        const ranks = world / (pipe * model);
        const node = neox(root, "train_batch_size");
        if (node === undefined || total === null || micro === null) return [];
        const unit = micro * ranks * (accumulation ?? 1);
        if (accumulation === null ? total % unit === 0 : total === unit) return [];
        return [
          {
            span: node.value.span,
            message: `train_batch_size ${total} is not ${micro} samples x ${accumulation ?? "a whole"} accumulation x ${ranks} data-parallel ranks`,
            valid: [String(Math.max(1, Math.round(total / unit)) * unit)],
          },
        ];
      }),
    fires: {
      "neox.yaml":
        neoxBase
          .replace("pipe-parallel-size: 1", "pipe-parallel-size: 2")
          .replace("model-parallel-size: 1", "model-parallel-size: 2") + "num_gpus: 2\n",
    },
    silent: { "neox.yaml": `${neoxBase}num_gpus: 2\n` },
  }),
  rule({
    name: "neox-keys",
    source: "megatron/neox_arguments/neox_args.py: NeoXArgsTraining",
    why: "GPT-NeoX 2 saves every `checkpoint_factor` steps; the older `save_interval` is refused as unknown. `data_impl` is mmap or cached: lazy loading was removed.",
    fix: "Write checkpoint_factor instead of save_interval, and data_impl mmap or cached.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const found: Found[] = [];
        const save = neox(root, "save_interval");
        if (save !== undefined)
          found.push({
            span: save.keySpan,
            message: "save_interval is now checkpoint_factor",
            valid: ["checkpoint_factor"],
          });
        const impl = neox(root, "data_impl");
        if (impl !== undefined && !["mmap", "infer", "cached"].includes(String(scalarOf(impl.value))))
          found.push({
            span: impl.value.span,
            message: `data_impl ${String(scalarOf(impl.value))} is not supported: preprocess with --dataset-impl mmap`,
            valid: ["mmap"],
          });
        const path = neox(root, "data_path");
        if (path !== undefined && String(scalarOf(path.value)).includes(","))
          found.push({
            span: path.value.span,
            message: "data_path is a single prefix: write several in train_data_paths, with train_data_weights",
            valid: ["train-data-paths"],
          });
        return found;
      }),
    fires: { "neox.yaml": neoxBase.replace("checkpoint-factor", "save-interval") },
    silent: { "neox.yaml": neoxBase },
  }),
  rule({
    name: "neox-precision",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.calculate_derived (derive precision)",
    why: "The section `fp16` is for fp16 and its loss scale, and a `precision` beside it must be fp16. For bf16 write `precision: bfloat16` (or `bf16: {enabled: true}`), without a loss scale. A `type` in the section selected bf16 in GPT-NeoX 1, but GPT-NeoX 2 ignores it.",
    fix: "Remove the fp16 section and write precision: bfloat16.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const section = at(root, "fp16");
        const [type, enabled] = [at(section, "type"), scalarOf(at(section, "enabled"))];
        const precision = neox(root, "precision");
        if (enabled !== true) return [];
        if (type !== undefined && String(scalarOf(type)).startsWith("bf"))
          return [
            {
              span: type.span,
              severity: "warning",
              message: `the run is in fp16, not ${String(scalarOf(type))}: the type in the fp16 section is ignored`,
            },
          ];
        if (precision !== undefined && scalarOf(precision.value) !== "fp16")
          return [
            {
              span: precision.value.span,
              message: `precision ${String(scalarOf(precision.value))} and fp16.enabled contradict each other`,
              ...nearby("fp16", section?.span),
            },
          ];
        return [];
      }),
    fires: { "neox.yaml": `${neoxBase}precision: bfloat16\nfp16:\n  enabled: true\n` },
    silent: { "neox.yaml": `${neoxBase}precision: fp16\nfp16:\n  enabled: true\n` },
  }),
];

/** GPT-NeoX writes keys with `-` or `_`. */
export function neox(root: Located, name: string): ReturnType<typeof entryOf> {
  return entryOf(root, name.replaceAll("_", "-")) ?? entryOf(root, name);
}
