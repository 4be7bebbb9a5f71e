/** Precision that the files of a launch decide together. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { switchIn, textIn, toldIn, type Settings } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

/** Families whose published weights were trained in bf16 and leave the range of fp16. */
const widened =
  /bloom|(?<!open_?)llama|(?:^|\/)(?:mt5|t5|flan-t5|ul2)|gemma|qwen|mi[sx]tral|ministral|baichuan|falcon|(?:^|[/_-])mpt-|deepseek|internlm|(?:^|\/)yi-\d|phi-?[34]|glm-4|gpt-oss|olmo/i;

/** Sizes of such a family that were trained in fp16 or in bf16: the scripts of both were published. */
const either = /bloom.*\d[bm]/i;

export const precisionRules: readonly ForeignRule[] = [
  rule({
    name: "fp16-scale",
    severity: "warning",
    source: "deepspeed/runtime/fp16/loss_scaler.py: DynamicLossScaler",
    why: "Every overflow skips a step and halves the scale: starting from 2^32 the first ten to twenty steps are lost, and with a hysteresis of 2 twice as many.",
    fix: "Set fp16.initial_scale_power to 16.",
    check: (launch) =>
      launch.documents.flatMap(({ kind, root }) => {
        const section = at(root, "fp16");
        const node = at(section, "initial_scale_power");
        const power = scalarOf(node);
        if (
          (kind !== "deepspeed" && kind !== "gpt-neox") ||
          node === undefined ||
          typeof power !== "number" ||
          power <= 24
        )
          return [];
        const enabled = scalarOf(at(section, "enabled"));
        // The Trainer fills the word in from its own fp16: without that no scale is known to be used.
        if (enabled === false || (enabled === "auto" && switchIn(launch.trainer ?? new Map(), "fp16") !== true))
          return [];
        return [
          {
            span: node.span,
            message: `an initial loss scale of 2^${power} overflows until it has been halved many times, and each overflow loses a step`,
            valid: ["16"],
          },
        ];
      }),
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "fp16": { "enabled": true, "initial_scale_power": 32 } }',
    },
    silent: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "fp16": { "enabled": true, "initial_scale_power": 16 } }',
    },
  }),
  rule({
    name: "fp16-of-bf16-model",
    severity: "warning",
    source: "the `torch_dtype` of published weights; transformers docs, performance: bf16-pretrained models",
    why: "Weights trained in bf16 hold values that fp16 cannot: the loss becomes nan or 0 after a few steps.",
    fix: "Train in bf16, or in fp32 on GPUs that have no bf16.",
    check: (launch) => {
      const on = half(launch);
      if (on === null) return [];
      const config = documentsOf(launch, "model")
        .map(({ root }) => at(root, "torch_dtype") ?? at(root, "dtype"))
        .find((node) => scalarOf(node) === "bfloat16");
      const settings: Settings = new Map([
        ...(launch.trainer ?? []),
        ...launch.runs.flatMap(({ options }) => [...options]),
      ]);
      const named = toldIn(settings, "model_name_or_path", "base_model");
      const name = textIn(settings, "model_name_or_path", "base_model");
      if (config === undefined && (name === null || !widened.test(name))) return [];
      return [
        {
          span: on,
          ...(config === undefined && either.test(name ?? "")
            ? {
                severity: "info" as const,
                message:
                  "the largest of this family was trained in bf16: in fp16, watch for a loss scale that falls to its minimum",
              }
            : { message: "fp16 for weights that were trained in bf16: values exceed its range" }),
          ...nearby("the model", config?.span ?? named?.span),
        },
      ];
    },
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "fp16": { "enabled": true } }',
      "run.sh":
        "deepspeed train.py --deepspeed ds.json --fp16 --model_name_or_path bigscience/bloomz --output_dir out\n",
    },
    silent: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "bf16": { "enabled": true } }',
      "run.sh":
        "deepspeed train.py --deepspeed ds.json --bf16 --model_name_or_path bigscience/bloomz --output_dir out\n",
    },
  }),
  rule({
    name: "deepspeed-undivided",
    severity: "info",
    source: "deepspeed/runtime/zero/config.py: DeepSpeedZeroConfig.stage",
    why: "Stage 0, the default, shards nothing: every GPU holds weights, gradients and the optimizer, 16 bytes per parameter with Adam.",
    fix: 'Add "zero_optimization": {"stage": 1}, 2 or 3; on one GPU add offload_optimizer.',
    check: (launch) =>
      documentsOf(launch, "deepspeed").flatMap(({ root }) => {
        const node = at(root, "zero_optimization");
        if (node !== undefined) return [];
        return [
          {
            span: { ...root.span, end: root.span.start + 1 },
            message: "without zero_optimization every GPU holds all weights, gradients and optimizer states",
          },
        ];
      }),
    fires: { "ds.json": '{ "train_micro_batch_size_per_gpu": 1 }' },
    silent: { "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2 } }' },
  }),
];

function half(launch: Launch): Found["span"] | null {
  for (const { root } of documentsOf(launch, "deepspeed")) {
    const node = at(root, "fp16", "enabled");
    if (node !== undefined && scalarOf(node) === true) return node.span;
  }
  for (const settings of [launch.trainer, launch.accelerate]) {
    if (settings === null) continue;
    if (switchIn(settings, "fp16") === true) return settings.get("fp16")?.nameSpan ?? null;
    if (textIn(settings, "mixed_precision") === "fp16") return settings.get("mixed_precision")?.span ?? null;
  }
  return null;
}
