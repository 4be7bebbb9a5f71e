/** What goes with ZeRO and with half precision. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { switchIn, textIn, toldIn, type Settings, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { yaml } from "./trainer/trainer.ts";

/** What decides in which type the weights of a Trainer are, and whether all of them are trained. */
const halves = [
  ...["fp16", "mixed_precision", "torch_dtype", "dtype", "model_dtype", "weight_dtype", "weights_dtype"],
  ...["use_lora", "use_peft", "lora", "lora_r", "lora_rank", "adapter"],
];

/** These names alone, wherever they are said: the commands count. */
function saidByName({ accelerate, trainer, runs }: Launch, names: readonly string[]): Settings {
  const sources = [...runs.map(({ options }) => options).toReversed(), trainer, accelerate];
  return new Map(
    names.flatMap((name) => {
      const told = sources.find((settings) => settings?.has(name) === true)?.get(name);
      return told === undefined ? [] : [[name, told] as const];
    }),
  );
}

export const zeroRules: readonly ForeignRule[] = [
  rule({
    name: "zero3-placement",
    source: "transformers/modeling_utils.py: from_pretrained; accelerate/accelerator.py: prepare_model",
    why: "ZeRO-3 decides where weights are; `device_map` and loaders that place the whole model on one device contradict it.",
    fix: "Remove device_map (and load_in_8bit placement of the whole model), or use ZeRO stage 2 or lower.",
    check: (launch) => {
      const stage = zeroStages(launch)[0];
      if (stage === undefined || stage.stage !== 3) return [];
      const all = [
        launch.trainer ?? new Map<string, Told>(),
        ...launch.runs.map(({ options }) => options),
      ] as Settings[];
      const placed = new Map<Told["span"], Found>();
      for (const settings of all) {
        const map = toldIn(settings, "device_map");
        if (map !== undefined && map.known && map.value !== null && map.value !== "null")
          placed.set(map.span, {
            span: map.span,
            message: `device_map ${String(map.value)} and ZeRO-3 both place the weights`,
            ...nearby("stage 3", stage.span),
          });
        const unsloth = toldIn(settings, "use_unsloth");
        if (unsloth !== undefined && switchIn(settings, "use_unsloth") === true)
          placed.set(unsloth.span, {
            span: unsloth.nameSpan,
            message: "use_unsloth loads the whole model on one GPU, but ZeRO-3 shards it",
            ...nearby("stage 3", stage.span),
          });
      }
      return [...placed.values()];
    },
    fires: { "ds.json": '{ "zero_optimization": { "stage": 3 } }', "args.yaml": yaml("device_map: auto\n") },
    silent: { "ds.json": '{ "zero_optimization": { "stage": 2 } }', "args.yaml": yaml("device_map: auto\n") },
  }),
  rule({
    name: "deepspeed-file-name",
    severity: "warning",
    source: "the name of the file against its own `zero_optimization.stage`",
    why: "A file that was copied and changed keeps its name: a launch that names `zero2` but runs stage 3 fails in ways that its reader does not expect.",
    fix: "Rename the file after its stage, or set the stage in its name.",
    check: (launch) =>
      documentsOf(launch, "deepspeed").flatMap(({ path, root }) => {
        const named = /(?:zero|stage|z)[-_]?([0-3])(?!\d)/i.exec(path.split("/").at(-1) ?? "")?.[1];
        const node = at(root, "zero_optimization", "stage");
        const stage = scalarOf(node);
        if (named === undefined || node === undefined || typeof stage !== "number" || String(stage) === named)
          return [];
        return [
          {
            span: node.span,
            message: `the file is called ${path.split("/").at(-1)} but sets stage ${stage}`,
            valid: [named],
          },
        ];
      }),
    fires: { "ds_zero2.json": '{ "zero_optimization": { "stage": 3 } }' },
    silent: { "ds_zero2.json": '{ "zero_optimization": { "stage": 2 } }' },
  }),
  rule({
    name: "trainer-compile-deepspeed",
    source: "axolotl/utils/schemas/validation.py: check_torch_compile_deepspeed",
    why: "Axolotl refuses `torch_compile` together with `deepspeed`: compiled graphs and ZeRO's hooks cannot be combined.",
    fix: "Remove torch_compile or deepspeed.",
    check: (launch) => {
      const [compiled, deepspeed] = [launch.trainer?.get("torch_compile"), launch.trainer?.get("deepspeed")];
      if (!launch.documents.some(({ kind }) => kind === "axolotl") || launch.trainer === null) return [];
      if (
        compiled === undefined ||
        deepspeed === undefined ||
        switchIn(launch.trainer, "torch_compile") !== true ||
        deepspeed.value === null
      )
        return [];
      return [
        {
          span: compiled.nameSpan,
          message: "torch_compile and deepspeed are both requested",
          ...nearby("deepspeed", deepspeed.nameSpan),
        },
      ];
    },
    fires: { "axolotl.yaml": "base_model: m\nmicro_batch_size: 1\ntorch_compile: true\ndeepspeed: zero3.json\n" },
    silent: { "axolotl.yaml": "base_model: m\nmicro_batch_size: 1\ntorch_compile: false\ndeepspeed: zero3.json\n" },
  }),
  rule({
    name: "trainer-half-weights",
    source: "torch/amp/grad_scaler.py: GradScaler._unscale_grads_",
    why:
      "Mixed precision in fp16 keeps weights in 32 bits and scales the loss. If the trained weights are themselves fp16 it stops with " +
      "`Attempting to unscale FP16 gradients`.",
    fix: "Load the weights in float32 (remove torch_dtype), train only adapters, or train with bf16.",
    check: (launch) => {
      const all = saidByName(launch, halves);
      const mixed =
        switchIn(all, "fp16") === true
          ? toldIn(all, "fp16")
          : textIn(all, "mixed_precision") === "fp16"
            ? toldIn(all, "mixed_precision")
            : undefined;
      const dtype = toldIn(all, "torch_dtype", "dtype", "model_dtype", "weight_dtype", "weights_dtype");
      if (
        mixed === undefined ||
        dtype === undefined ||
        !/^(?:torch\.)?(?:float16|fp16|half)$/.test(String(dtype.value))
      )
        return [];
      if (
        switchIn(all, "use_lora", "use_peft", "lora") === true ||
        toldIn(all, "lora_r", "lora_rank", "adapter") !== undefined
      )
        return [];
      // DeepSpeed has a scaler of its own, and 32-bit weights beside those of the model.
      const isDeepspeed = launch.runs.some(({ options }) => options.has("deepspeed") || options.has("use_deepspeed"));
      if (isDeepspeed || launch.documents.some(({ kind }) => kind === "deepspeed")) return [];
      return [
        {
          span: dtype.span,
          message: "fp16 weights cannot be trained with fp16 mixed precision: its scaler refuses their gradients",
          valid: ["float32", "bfloat16"],
          ...nearby("mixed precision", mixed.nameSpan),
        },
      ];
    },
    fires: {
      "run.sh":
        "accelerate launch --mixed_precision fp16 --num_processes 2 train.py --torch_dtype float16 --output_dir out\n",
    },
    silent: {
      "run.sh":
        "accelerate launch --mixed_precision fp16 --num_processes 2 train.py --torch_dtype float32 --output_dir out\n",
    },
  }),
];

/** Stages of ZeRO that the launch's files say. */
export function zeroStages({
  documents,
  accelerate,
}: Launch): readonly { readonly stage: number; readonly span: Told["span"] }[] {
  const own = documents.flatMap(({ kind, root }) => {
    const node = kind === "deepspeed" || kind === "gpt-neox" ? at(root, "zero_optimization", "stage") : undefined;
    const stage = scalarOf(node);
    return node !== undefined && typeof stage === "number" ? [{ stage, span: node.span }] : [];
  });
  const told = accelerate === null ? undefined : toldIn(accelerate, "zero_stage", "deepspeed_config.zero_stage");
  const stage = Number(told?.value);
  return told === undefined || !Number.isInteger(stage) ? own : [...own, { stage, span: told.span }];
}
