/** What a GPU can do, for launches whose GPU is said. */
import { architectureOf } from "../gpus.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../located.ts";
import { saidIn } from "../said.ts";
import { numberIn, switchIn, textIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./zero.ts";

const args = "output_dir: out\nper_device_train_batch_size: 1\n";

function halves(launch: Launch): readonly Told["span"][] {
  const said = saidIn(launch);
  const switched = ["bf16", "bf16_full_eval"].flatMap((name) =>
    switchIn(said, name) === true ? (toldIn(said, name)?.span ?? []) : [],
  );
  const mixed = textIn(said, "mixed_precision") === "bf16" ? toldIn(said, "mixed_precision")?.span : undefined;
  const files = documentsOf(launch, "deepspeed").flatMap(({ root }) => {
    const node = at(root, "bf16", "enabled");
    return node !== undefined && scalarOf(node) === true ? [node.span] : [];
  });
  return [...switched, ...(mixed === undefined ? [] : [mixed]), ...files];
}

export const deviceRules: readonly ForeignRule[] = [
  rule({
    name: "precision-device",
    source:
      "transformers/training_args.py: _validate_args (bf16), tf32; accelerate/accelerator.py: Accelerator.__init__; deepspeed/runtime/engine.py: _do_sanity_check",
    why: "bf16 and TF32 are for GPUs from Ampere on (compute capability 8.0: A100, A10, RTX 30, …).",
    fix: "Train in fp16 (or fp32 without TF32) on this GPU, or run on one from Ampere on.",
    check: (launch) => {
      const architecture = architectureOf(launch.supplied.gpu);
      if (architecture === null || architecture >= 8) return [];
      const said = saidIn(launch);
      const tf32 = switchIn(said, "tf32") === true ? toldIn(said, "tf32") : undefined;
      return [
        ...halves(launch).map((span) => ({ span, message: `a ${launch.supplied.gpu} has no bf16`, valid: ["fp16"] })),
        ...(tf32 === undefined
          ? []
          : [{ span: tf32.span, message: `a ${launch.supplied.gpu} has no TF32`, valid: ["false"] }]),
      ];
    },
    fires: { "args.yaml": `${args}bf16: true\n` },
    silent: { "args.yaml": `${args}fp16: true\n` },
    supplied: { gpu: "v100" },
  }),
  rule({
    name: "zero-inference",
    source: "transformers/integrations/deepspeed.py: deepspeed_init",
    why: "Only ZeRO-3 divides weights: evaluation alone under another stage divides nothing, and the Trainer refuses it.",
    fix: "Set zero_optimization.stage to 3, or evaluate without DeepSpeed.",
    check: (launch) => {
      const { trainer } = launch;
      const [evaluates, trains] = [trainer?.get("do_eval") ?? trainer?.get("do_predict"), trainer?.get("do_train")];
      const stage = zeroStages(launch)[0];
      if (trainer === null || evaluates === undefined || stage === undefined || stage.stage === 3) return [];
      if (switchIn(trainer, "do_train") !== false && trains !== undefined) return [];
      if (
        trains === undefined &&
        ["num_train_epochs", "max_steps", "learning_rate"].some((name) => trainer.has(name))
      )
        return [];
      return [
        {
          span: stage.span,
          message: `evaluation alone needs ZeRO stage 3, not ${stage.stage}`,
          valid: ["3"],
          ...nearby("evaluation", evaluates.nameSpan),
        },
      ];
    },
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 2 } }',
      "run.sh": "deepspeed --num_gpus 8 run.py --deepspeed ds.json --per_device_eval_batch_size 1 --do_eval\n",
    },
    silent: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 3 } }',
      "run.sh": "deepspeed --num_gpus 8 run.py --deepspeed ds.json --per_device_eval_batch_size 1 --do_eval\n",
    },
  }),
  rule({
    name: "device-map-ranks",
    source: "accelerate/accelerator.py: Accelerator.prepare_model",
    why: "`device_map: auto` spreads one model over the GPUs of one process. Several processes each do so, over the same GPUs: accelerate refuses it.",
    fix: "Leave device_map out, or start one process.",
    check: (launch) => {
      const size = launch.world.size;
      const told = toldIn(saidIn(launch), "device_map");
      if (told === undefined || size === null || size < 2 || zeroStages(launch).some(({ stage }) => stage === 3))
        return [];
      return !["auto", "balanced", "balanced_low_0", "sequential"].includes(String(told.value))
        ? []
        : [
            {
              span: told.span,
              message: `device_map ${String(told.value)} in each of ${size} processes`,
              ...nearby("the processes", launch.world.said[0]?.span),
            },
          ];
    },
    fires: { "run.sh": "torchrun --nproc-per-node=8 sft.py --per_device_train_batch_size 1 --device_map auto\n" },
    silent: { "run.sh": "torchrun --nproc-per-node=1 sft.py --per_device_train_batch_size 1 --device_map auto\n" },
  }),
  rule({
    name: "trainer-cache-steps",
    source: "transformers/training_args.py: _validate_args",
    why: "The cache of the allocator is emptied every so many steps; the Trainer refuses 0, negative numbers and fractions when it is made.",
    fix: "Write a whole number from 1 on, or leave torch_empty_cache_steps out.",
    check: ({ trainer }) => {
      const told = trainer?.get("torch_empty_cache_steps");
      const steps = trainer === null ? null : numberIn(trainer, "torch_empty_cache_steps");
      if (told === undefined || steps === null || (Number.isInteger(steps) && steps > 0)) return [];
      return [
        { span: told.span, message: `torch_empty_cache_steps ${steps} is no whole number above 0` },
      ] satisfies Found[];
    },
    fires: { "args.yaml": `${args}torch_empty_cache_steps: 0\n` },
    silent: { "args.yaml": `${args}torch_empty_cache_steps: 10\n` },
  }),
];
