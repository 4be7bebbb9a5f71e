/** What a GPU can do, for launches whose GPU is said. */
import { below } from "../../engines/release.ts";
import { architectureOf } from "../known/gpus.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { packagesOf } from "../known/packages.ts";
import { saidIn } from "../said.ts";
import { numberIn, switchIn, textIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./zero.ts";
import { article } from "../../../dsl/diagnostics/article.ts";

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

/** From here on `torch.cuda.is_bf16_supported` is true of GPUs that have it in software alone. */
const emulated = "2.3";

/** What asks for FlashAttention, and the first and the last generation of GPUs that the release of it has kernels for. */
const kernels: readonly (readonly [asked: RegExp, from: number, to: number, called: string])[] = [
  [/^(?:flash_attention_2|fa2)$/, 8, Number.POSITIVE_INFINITY, "FlashAttention 2"],
  [/^(?:flash_attention_3|fa3)$/, 9, 9, "FlashAttention 3"],
];

function attentions(launch: Launch): readonly { readonly word: string; readonly span: Told["span"] }[] {
  const said = saidIn(launch);
  const words = ["attn_implementation", "flash_attn"].flatMap((name) => {
    const told = toldIn(said, name);
    return told === undefined || !told.known ? [] : [{ word: String(told.value), span: told.span }];
  });
  const switches = ["use_flash_attention_2", "use_flash_attn_2", ...(isAxolotl(launch) ? ["flash_attention"] : [])];
  return [
    ...words,
    ...switches.flatMap((name) => {
      const told = switchIn(said, name) === true ? toldIn(said, name) : undefined;
      return told === undefined ? [] : [{ word: "flash_attention_2", span: told.nameSpan }];
    }),
  ];
}

const isAxolotl = (launch: Launch): boolean => documentsOf(launch, "axolotl").length > 0;

export const deviceRules: readonly ForeignRule[] = [
  rule({
    name: "flash-device",
    source:
      "flash_attn/csrc: `FlashAttention only supports Ampere GPUs or newer`; transformers/modeling_utils.py: _flash_attn_can_dispatch",
    why: "FlashAttention 2 has kernels for GPUs from Ampere on (compute capability 8.0), and FlashAttention 3 for Hopper. On any other GPU the first step stops, or the model is not loaded.",
    fix: "Use attn_implementation sdpa on this GPU (flash_attn: sdpa in LLaMA-Factory, sdp_attention: true in Axolotl), or run on a later one.",
    check: (launch) => {
      const architecture = architectureOf(launch.supplied.gpu);
      if (architecture === null) return [];
      return attentions(launch).flatMap(({ word, span }) =>
        kernels
          .filter(([asked, from, to]) => asked.test(word) && (architecture < from || Math.floor(architecture) > to))
          .map(([, , , called]) => ({
            span,
            message: `${called} has no kernels for ${article(launch.supplied.gpu ?? "GPU")}`,
            valid: ["sdpa"],
          })),
      );
    },
    fires: {
      "job.sbatch": `#!/bin/bash\n#SBATCH --gres=gpu:v100:8\ntorchrun --nproc_per_node 8 train.py --attn_implementation flash_attention_2 --per_device_train_batch_size 1\n`,
    },
    silent: {
      "job.sbatch": `#!/bin/bash\n#SBATCH --gres=gpu:a100:8\ntorchrun --nproc_per_node 8 train.py --attn_implementation flash_attention_2 --per_device_train_batch_size 1\n`,
    },
  }),
  rule({
    name: "fp8-device",
    source: "transformer_engine/pytorch/fp8.py: check_fp8_support; torchao/float8: _scaled_mm",
    why: "FP8 matrix products need Ada or Hopper (compute capability 8.9) or later: on earlier GPUs Transformer Engine and torchao stop at the first one.",
    fix: "Set mixed_precision to bf16 on this GPU, or run on one from Ada on.",
    check: (launch) => {
      const architecture = architectureOf(launch.supplied.gpu);
      const said = saidIn(launch);
      const told = toldIn(said, "mixed_precision");
      if (architecture === null || architecture >= 8.9 || told === undefined || told.value !== "fp8") return [];
      return [{ span: told.span, message: `${article(launch.supplied.gpu ?? "GPU")} has no FP8`, valid: ["bf16"] }];
    },
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --gpus-per-node=a100:8\naccelerate launch --num_processes 8 --mixed_precision fp8 train.py\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --gpus-per-node=h100:8\naccelerate launch --num_processes 8 --mixed_precision fp8 train.py\n",
    },
  }),
  rule({
    name: "precision-device",
    source:
      "transformers/training_args.py: _validate_args (bf16), tf32; accelerate/accelerator.py: Accelerator.__init__; deepspeed/runtime/engine.py: _do_sanity_check",
    why: "bf16 and TF32 are for GPUs from Ampere on (compute capability 8.0: A100, A10, RTX 30, …). Others refuse TF32, and PyTorch before 2.3 refuses bf16 on them; later releases accept it, but are slower than in fp32.",
    fix: "Train in fp16 (or fp32 without TF32) on this GPU, or run on one from Ampere on.",
    check: (launch) => {
      const architecture = architectureOf(launch.supplied.gpu);
      if (architecture === null || architecture >= 8) return [];
      const said = saidIn(launch);
      const tf32 = switchIn(said, "tf32") === true ? toldIn(said, "tf32") : undefined;
      return [
        ...halves(launch).map((span): Found => {
          const torch = packagesOf(launch).get("torch");
          const stops = torch?.version != null && below(torch.version, emulated);
          return {
            span,
            severity: stops ? "error" : "warning",
            message: `${article(launch.supplied.gpu ?? "GPU")} has no bf16: PyTorch ${stops ? torch.version : `before ${emulated}`} refuses it${stops ? "" : ", and later releases compute bf16 in fp32"}`,
            valid: ["fp16"],
            ...nearby("PyTorch", stops ? torch.span : undefined),
          };
        }),
        ...(tf32 === undefined
          ? []
          : [{ span: tf32.span, message: `${article(launch.supplied.gpu ?? "GPU")} has no TF32`, valid: ["false"] }]),
      ];
    },
    fires: { "args.yaml": `${args}bf16: true\n` },
    silent: { "args.yaml": `${args}fp16: true\n` },
    supplied: { gpu: "v100" },
  }),
  rule({
    name: "zero-inference",
    source: "transformers/integrations/deepspeed.py: deepspeed_init",
    why: "Only ZeRO-3 shards weights: evaluation without training has nothing else to shard, and the Trainer refuses other stages.",
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
          message: `evaluation without training needs ZeRO stage 3, not ${stage.stage}`,
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
    why: "`device_map: auto` spreads one model over all GPUs that a process sees. Several processes would each do this on the same GPUs, and accelerate refuses it.",
    fix: "Remove device_map, or start one process.",
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
    why: "The allocator's cache is emptied every this many steps; the Trainer refuses 0, negative numbers and fractions when it is created.",
    fix: "Write a whole number of at least 1, or remove torch_empty_cache_steps.",
    check: ({ trainer }) => {
      const told = trainer?.get("torch_empty_cache_steps");
      const steps = trainer === null ? null : numberIn(trainer, "torch_empty_cache_steps");
      if (told === undefined || steps === null || (Number.isInteger(steps) && steps > 0)) return [];
      return [
        { span: told.span, message: `torch_empty_cache_steps ${steps} is not a whole number above 0` },
      ] satisfies Found[];
    },
    fires: { "args.yaml": `${args}torch_empty_cache_steps: 0\n` },
    silent: { "args.yaml": `${args}torch_empty_cache_steps: 10\n` },
  }),
];
