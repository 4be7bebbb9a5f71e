/** Buffers through which weights come from a disk, against the part of the largest that a rank holds. */
import { defaultAt } from "../../../engines/deepspeed/table.ts";
import { below } from "../../../engines/release.ts";
import { at, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { pinnedRelease } from "../../known/trainer-versions.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const key = "zero_optimization.offload_param.buffer_size";

interface Largest {
  readonly elements: number;
  readonly what: string;
  /** The first release of transformers that has it as one. */
  readonly since?: string;
}

const number = (part: Located, ...names: readonly string[]): number | null =>
  names.map((name) => numberAt(at(part, name))).find((each) => each !== null) ?? null;

/** Models whose first two matrices of the MLP are one, and those whose experts have always been. Source: transformers/models/. */
const paired = /^(?:phi3|phi4_multimodal|glm|glm4|zamba2)$/;
const alwaysFused = /^(?:gpt_oss|llama4(?:_text)?|granitemoe\w*)$/;

/** The largest tensors of a model by its `config.json`: its embedding, a matrix of its MLP, those of all experts in one. */
function largestOf(root: Located): readonly Largest[] {
  const part = at(root, "text_config") ?? root;
  const type = String(scalarOf(at(part, "model_type")) ?? "");
  const width = number(part, "hidden_size", "n_embd", "d_model");
  if (width === null) return [];
  const rows = number(part, "vocab_size");
  const inner = number(part, "intermediate_size", "n_inner", "ffn_dim");
  const experts = number(part, "num_experts", "num_local_experts", "n_routed_experts") ?? 1;
  const ofExpert = number(part, "moe_intermediate_size") ?? inner;
  return [
    // A table of another width is projected.
    ...(rows === null || at(part, "embedding_size") !== undefined
      ? []
      : [{ elements: rows * width, what: "the embedding" }]),
    ...(inner === null
      ? []
      : [{ elements: (paired.test(type) ? 2 : 1) * inner * width, what: "a matrix of the MLP" }]),
    ...(experts < 2 || ofExpert === null
      ? []
      : [
          {
            elements: experts * 2 * ofExpert * width,
            what: "the experts' gate_up_proj, which is one tensor",
            ...(alwaysFused.test(type) ? {} : { since: "5.0" }),
          },
        ]),
  ].toSorted((a, b) => b.elements - a.elements);
}

function tooSmall(launch: Launch): readonly Found[] {
  const { size: ranks } = launch.world;
  const models = documentsOf(launch, "model");
  const [model] = models;
  if (ranks === null || model === undefined || models.length > 1) return [];
  const release = pinnedRelease(launch, "transformers");
  const largest = largestOf(model.root).find(
    ({ since }) => since === undefined || release === null || !below(release.version, since),
  );
  if (largest === undefined) return [];
  const slice = Math.ceil(largest.elements / ranks);
  const { span } = model.root;
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
        // Nobody says that the release is one that has it as one tensor.
        ...(largest.since !== undefined && release === null ? { severity: "warning" as const } : {}),
        message: `a buffer of ${buffer} elements${written === undefined ? " (the default of buffer_size)" : ""} is too small for the ${slice} of ${largest.what}${largest.since === undefined ? "" : ` since transformers ${largest.since}`} that each of ${ranks} ranks has`,
        valid: [String(slice)],
        ...nearby("the model", { ...span, end: Math.min(span.end, span.start + 1) }),
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
    fix: "Set offload_param.buffer_size to at least the number in the message, or train on more ranks.",
    check: tooSmall,
    fires: files(""),
    silent: files(', "buffer_size": 140000000'),
  }),
];
