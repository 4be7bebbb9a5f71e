/** Configurations of Lightning's command line. */
import { documentsOf } from "../launch.ts";
import { at, entryOf, itemsOf, scalarOf, type Located } from "../documents/located.ts";
import { architectureOf } from "../known/gpus.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { article } from "../../../dsl/diagnostics/article.ts";

const half = /^(?:torch\.)?(?:float16|fp16|half)$/;
const mixed = /^(?:16|16-mixed)$/;
const fit = (trainer: string, rest = ""): string => `trainer:\n  accelerator: gpu\n  devices: 8\n${trainer}${rest}`;
const last = (more: string): string =>
  `  callbacks:\n    - class_path: lightning.pytorch.callbacks.ModelCheckpoint\n      init_args:\n        save_last: true\n${more}`;

export const lightningRules: readonly ForeignRule[] = [
  rule({
    name: "lightning-accumulation",
    source: "lightning/pytorch/strategies/deepspeed.py: DeepSpeedStrategy._format_config",
    why: "Lightning passes its Trainer's accumulation to DeepSpeed, and stops if the JSON has its own: `Do not set gradient_accumulation_steps in the DeepSpeed config`.",
    fix: "Remove gradient_accumulation_steps from the JSON, and set trainer.accumulate_grad_batches.",
    check: (launch) => {
      const strategy = documentsOf(launch, "lightning")
        .map(({ root }) => at(root, "trainer", "strategy", "class_path") ?? at(root, "trainer", "strategy"))
        .find((node) => /deepspeed/i.test(String(scalarOf(node) ?? "")));
      if (strategy === undefined) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const own = entryOf(root, "gradient_accumulation_steps");
        return own === undefined
          ? []
          : [
              {
                span: own.keySpan,
                message: "Lightning sets gradient_accumulation_steps itself, and refuses it here",
                ...nearby("Lightning's strategy", strategy.span),
              },
            ];
      });
    },
    fires: {
      "fit.yaml": fit("  strategy: deepspeed_stage_2\n"),
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 4, "zero_optimization": { "stage": 2 } }',
    },
    silent: {
      "fit.yaml": fit("  strategy: deepspeed_stage_2\n"),
      "ds.json": '{ "train_micro_batch_size_per_gpu": 8, "zero_optimization": { "stage": 2 } }',
    },
  }),
  rule({
    name: "lightning-half-weights",
    source: "lightning/pytorch/plugins/precision/amp.py: MixedPrecision; torch/amp/grad_scaler.py: _unscale_grads_",
    why: "`16-mixed` keeps weights in float32 and scales the loss. A model that is in half precision itself is refused at the first step (`Attempting to unscale FP16 gradients`).",
    fix: "Load the model in float32 with precision: 16-mixed, or write precision: 16-true.",
    check: (launch) =>
      documentsOf(launch, "lightning").flatMap(({ root }): readonly Found[] => {
        const precision = at(root, "trainer", "precision");
        if (precision === undefined || !mixed.test(String(scalarOf(precision)))) return [];
        const found = scalars(at(root, "model")).find(
          ({ key, value }) =>
            (key.endsWith("dtype") && half.test(String(value.value))) || (key === "half" && value.value === true),
        );
        if (found === undefined) return [];
        return [
          {
            span: precision.span,
            message: `precision ${String(scalarOf(precision))} needs weights in float32, but the model is in half precision`,
            valid: ["16-true", "bf16-mixed"],
            ...nearby("half", found.value.span),
          },
        ];
      }),
    fires: { "fit.yaml": fit("  precision: 16-mixed\n", "model:\n  init_args:\n    torch_dtype: float16\n") },
    silent: { "fit.yaml": fit("  precision: 16-mixed\n", "model:\n  init_args:\n    torch_dtype: float32\n") },
  }),
  rule({
    name: "lightning-bf16",
    source: "NVIDIA's table of CUDA GPUs: bf16 from compute capability 8.0 on",
    why: "GPUs before Ampere have no bf16 units: torch refuses bf16, or is many times slower. Weights that were trained in bf16 exceed the range of fp16, so a V100 can only train them in float32.",
    fix: "Write precision: 16-mixed for a model that was not trained in bf16, and 32-true for one that was; or run on a GPU from Ampere on.",
    check: (launch) => {
      const architecture = architectureOf(launch.supplied.gpu);
      if (architecture === null || architecture >= 8) return [];
      return documentsOf(launch, "lightning").flatMap(({ root }): readonly Found[] => {
        const precision = at(root, "trainer", "precision");
        if (precision === undefined || !String(scalarOf(precision)).startsWith("bf16")) return [];
        return [
          {
            span: precision.span,
            message: `${article(launch.supplied.gpu ?? "GPU")} has no bf16`,
            valid: ["32-true"],
          },
        ];
      });
    },
    fires: { "fit.yaml": fit("  precision: bf16-mixed\n") },
    silent: { "fit.yaml": fit("  precision: 32-true\n") },
    supplied: { gpu: "v100" },
  }),
  rule({
    name: "lightning-whole-model",
    severity: "info",
    source: "lightning/pytorch/strategies/deepspeed.py: model_sharded_context; core/hooks.py: configure_model",
    why: "With ZeRO-3 or FSDP, Lightning shards only what is built in `configure_model`. A model built in `__init__` is first whole on every rank: a 40B model needs 80 GB of memory on each. Files do not show where the program builds it.",
    fix: "Build the model in configure_model instead of __init__.",
    check: (launch) =>
      documentsOf(launch, "lightning").flatMap(({ root }): readonly Found[] => {
        const strategy = at(root, "trainer", "strategy");
        const name = scalarOf(strategy) ?? scalarOf(at(strategy, "class_path"));
        const stage = scalarOf(at(strategy, "init_args", "stage"));
        const divides =
          /stage_3|^fsdp|FSDPStrategy/.test(String(name)) || (/DeepSpeed/.test(String(name)) && stage === 3);
        const large = scalars(at(root, "model")).find(
          ({ value }) => Number(/(?:^|[-_/])(\d+(?:\.\d+)?)b(?:$|[-_./])/i.exec(String(value.value))?.[1] ?? 0) >= 10,
        );
        if (strategy === undefined || !divides || large === undefined) return [];
        return [
          {
            span: strategy.span,
            message: `where ${String(large.value.value)} is built is unknown: outside configure_model every rank holds all of it`,
            ...nearby("the model", large.value.span),
          },
        ];
      }),
    fires: {
      "fit.yaml": fit(
        "  strategy: deepspeed_stage_3_offload\n",
        "model:\n  init_args:\n    name: tiiuae/falcon-40b\n",
      ),
    },
    silent: { "fit.yaml": fit("  strategy: ddp\n", "model:\n  init_args:\n    name: tiiuae/falcon-40b\n") },
  }),
  rule({
    name: "lightning-last",
    severity: "warning",
    source: "lightning/pytorch/callbacks/model_checkpoint.py: enable_version_counter, CHECKPOINT_NAME_LAST",
    why: "An existing `last.ckpt` is kept, and the next run writes `last-v1.ckpt`: a restart that names `last.ckpt` continues from an old state.",
    fix: "Set enable_version_counter: false, or resume with ckpt_path: last.",
    check: (launch) =>
      documentsOf(launch, "lightning").flatMap(({ root }): readonly Found[] => {
        const callback = itemsOf(at(root, "trainer", "callbacks")).find(
          (each) => scalarOf(at(each, "init_args", "save_last")) === true,
        );
        const path = entryOf(root, "ckpt_path");
        const counted = scalarOf(at(callback, "init_args", "enable_version_counter")) !== false;
        if (callback === undefined || path === undefined || !counted) return [];
        if (!String(scalarOf(path.value)).endsWith("last.ckpt")) return [];
        return [
          {
            span: path.value.span,
            message: "the second run writes last-v1.ckpt, but this loads the last.ckpt of the first",
            valid: ["last"],
            ...nearby("save_last", callback.span),
          },
        ];
      }),
    fires: { "fit.yaml": fit(last(""), "ckpt_path: out/last.ckpt\n") },
    silent: { "fit.yaml": fit(last("        enable_version_counter: false\n"), "ckpt_path: out/last.ckpt\n") },
  }),
];

interface Leaf {
  readonly key: string;
  readonly value: Extract<Located, { readonly kind: "scalar" }>;
}

function scalars(node: Located | undefined): readonly Leaf[] {
  if (node?.kind === "list") return node.items.flatMap(scalars);
  if (node?.kind !== "map") return [];
  return node.entries.flatMap(({ key, value }) => (value.kind === "scalar" ? [{ key, value }] : scalars(value)));
}
