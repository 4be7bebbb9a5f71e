/** Buffers through which weights come from a disk, against the part of the largest that a rank holds. */
import { defaultAt } from "../../../engines/deepspeed/table.ts";
import { at, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const key = "zero_optimization.offload_param.buffer_size";

/** The table of the embedding: no matrix of a language model is larger but those of fused experts. */
function embeddingOf(root: Located): number | null {
  const part = at(root, "text_config") ?? root;
  const rows = numberAt(at(part, "vocab_size"));
  const width = ["hidden_size", "n_embd", "d_model"]
    .map((name) => numberAt(at(part, name)))
    .find((each) => each !== null);
  // A table of another width is projected.
  return rows === null || width == null || at(part, "embedding_size") !== undefined ? null : rows * width;
}

function tooSmall(launch: Launch): readonly Found[] {
  const { size: ranks } = launch.world;
  const models = documentsOf(launch, "model").flatMap(({ root }) => {
    const elements = embeddingOf(root);
    return elements === null ? [] : [{ elements, span: root.span }];
  });
  const [model] = models;
  if (ranks === null || model === undefined || models.length > 1) return [];
  const slice = Math.ceil(model.elements / ranks);
  return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
    const zero = at(root, "zero_optimization");
    const offload = at(zero, "offload_param");
    if (scalarOf(at(zero, "stage")) !== 3 || scalarOf(at(offload, "device")) !== "nvme") return [];
    const written = at(offload, "buffer_size");
    const buffer = written === undefined ? Number(defaultAt(key)) : numberAt(written);
    if (offload === undefined || buffer === null || buffer >= slice) return [];
    return [
      {
        span: (written ?? offload).span,
        message: `a buffer of ${buffer} elements${written === undefined ? " (the default of buffer_size)" : ""} does not hold the ${slice} of the embedding that each of ${ranks} ranks has`,
        valid: [String(slice)],
        ...nearby("the model", { ...model.span, end: Math.min(model.span.end, model.span.start + 1) }),
      },
    ];
  });
}

const config = '{ "model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "vocab_size": 128256 }';
const zero = (more: string): string =>
  `{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 3, "offload_param": { "device": "nvme", "nvme_path": "/local"${more} } } }`;
const files = (more: string) => ({
  "config.json": config,
  "ds.json": zero(more),
  "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n",
});

export const deepspeedSwapRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-swap-buffer",
    source:
      "deepspeed/runtime/swap_tensor/partitioned_param_swapper.py: AsyncPartitionedParameterSwapper.get_buffer (`More elements … than buffer size`)",
    why: "Each rank reads its part of a weight into one buffer of offload_param.buffer_size elements. A part that does not fit stops the run when the weight is first fetched.",
    fix: "Set offload_param.buffer_size to the number that the message names, or more; or train on more ranks.",
    check: tooSmall,
    fires: files(""),
    silent: files(', "buffer_size": 140000000'),
  }),
];
