import { usualClipping } from "../clipping.ts";
import { demandsOf, type Demand } from "../step.ts";
import { asNumber, truthy } from "../value.ts";
import { newest } from "../versions.ts";
import { makesOptimizer, stageOf } from "./precision.ts";
import { offloadsOptimizer, optimizerName, usesBf16Optimizer } from "./optimizer.ts";

const config = demandsOf("runtime/zero/config.py: DeepSpeedZeroConfig", "config");
const build = demandsOf(
  "runtime/engine.py: _configure_zero_optimizer; runtime/zero/stage_1_and_2.py and stage3.py: __init__",
  "build",
);

const offload = "zero_optimization.offload_optimizer";
const shards = (stage: number): boolean => stage === 1 || stage === 2;

export const zero: readonly Demand[] = [
  config("gradient-norm-stage", {
    about: "zero_optimization.compute_grad_norm",
    check: (settings) =>
      !settings.zero.on("compute_grad_norm") && !shards(stageOf(settings))
        ? "compute_grad_norm false works only with ZeRO stages 1 and 2"
        : null,
    why: "Only stages 1 and 2 can omit the norm of the gradients; the other stages need it.",
    fix: "Leave compute_grad_norm out, or write zero_optimization.stage 1 or 2.",
    fires: { zero_optimization: { stage: 3, compute_grad_norm: false } },
    silent: { zero_optimization: { stage: 2, compute_grad_norm: false } },
  }),
  config("offload-ratio", {
    about: `${offload}.ratio`,
    check: (settings) => {
      const ratio = settings.zero.section("offload_optimizer")?.number("ratio") ?? 1;
      return ratio < 1 && stageOf(settings) !== 3
        ? `only ZeRO stage 3 can offload part of the optimizer; ratio is ${ratio}`
        : null;
    },
    why: "Stages 1 and 2 offload the whole state of the optimizer or none of it; only stage 3 can offload part of it.",
    fix: "Leave offload_optimizer.ratio out (it is 1), or write zero_optimization.stage 3.",
    fires: { zero_optimization: { offload_optimizer: { device: "cpu", ratio: 0.5 } } },
    silent: { zero_optimization: { stage: 3, offload_optimizer: { device: "cpu", ratio: 0.5 } } },
  }),
  build("legacy-stage1", {
    about: "zero_optimization.legacy_stage1",
    check: (settings, host) =>
      settings.zero.on("legacy_stage1") &&
      stageOf(settings) > 0 &&
      !(usesBf16Optimizer(settings) && makesOptimizer(settings, host.clientOptimizer))
        ? "the old ZeRO stage 1 was removed"
        : null,
    why: "The key selects an implementation of stage 1 that was removed in 0.5.9; the engine stops if it is true.",
    fix: "Leave legacy_stage1 out.",
    fires: { zero_optimization: { legacy_stage1: true } },
    silent: { zero_optimization: { stage: 0, legacy_stage1: true } },
  }),
  build("gradient-norm-off", {
    about: ["zero_optimization.compute_grad_norm", "gradient_clipping"],
    check: (settings, host) => {
      if (
        settings.zero.on("compute_grad_norm") ||
        !shards(stageOf(settings)) ||
        !makesOptimizer(settings, host.clientOptimizer)
      )
        return null;
      if (usesBf16Optimizer(settings))
        return "compute_grad_norm false cannot be combined with ZeRO stage 1, bf16 and fp32 gradients";
      const clipping = asNumber(settings.config.get("gradient_clipping") ?? usualClipping(newest));
      if (clipping !== undefined && clipping > 0)
        return `compute_grad_norm false with gradient_clipping ${clipping}: clipping needs the norm`;
      if (settings.zero.section("zenflow") !== null) return "compute_grad_norm false cannot be combined with ZenFlow";
      return offloadsOptimizer(settings)
        ? "compute_grad_norm false cannot be combined with an offloaded optimizer"
        : null;
    },
    why: "Clipping, ZenFlow, offloading and the bf16 optimizer of stage 1 all need the norm of the gradients. Clipping is on by default.",
    fix: "Leave compute_grad_norm out; or set gradient_clipping to 0, without ZenFlow, offloading and the bf16 optimizer of stage 1.",
    fires: { zero_optimization: { compute_grad_norm: false } },
    silent: { zero_optimization: { compute_grad_norm: false }, gradient_clipping: 0 },
  }),
  build("allgather-bucket-odd", {
    about: "zero_optimization.allgather_bucket_size",
    check: (settings, host) => {
      const size = settings.zero.number("allgather_bucket_size");
      return size % 2 === 1 &&
        shards(stageOf(settings)) &&
        makesOptimizer(settings, host.clientOptimizer) &&
        !usesBf16Optimizer(settings)
        ? `allgather_bucket_size ${size} is odd`
        : null;
    },
    why: "Stages 1 and 2 align gathered data to two elements, so a bucket must hold an even number of them.",
    fix: "Write an even number, such as 500000000.",
    fires: { zero_optimization: { allgather_bucket_size: 1001 } },
    silent: { zero_optimization: { allgather_bucket_size: 1000 } },
  }),
  build("secondary-partition", {
    about: "zero_optimization.zero_hpz_partition_size",
    check: (settings, host) => {
      const size = Math.min(settings.zero.number("zero_hpz_partition_size"), host.world);
      return stageOf(settings) === 3 && size > 1 && host.world % size !== 0
        ? `zero_hpz_partition_size ${size} does not divide ${host.world} ranks`
        : null;
    },
    why: "The ranks are split into groups of this size, each with a whole copy of the weights.",
    fix: "Set zero_hpz_partition_size to a divisor of the ranks, usually the GPUs per node.",
    fires: { zero_optimization: { stage: 3, zero_hpz_partition_size: 3 } },
    silent: { zero_optimization: { stage: 3, zero_hpz_partition_size: 4 } },
  }),
  build("secondary-partition-optimizer", {
    about: ["zero_optimization.zero_hpz_partition_size", "optimizer.type"],
    check: (settings, host) => {
      const size = settings.zero.number("zero_hpz_partition_size");
      const isBare = host.clientOptimizer === null && optimizerName(settings) === null;
      return stageOf(settings) === 3 && size > 1 && isBare
        ? `zero_hpz_partition_size ${size} needs an optimizer, in the file or from the program`
        : null;
    },
    why: "Without an optimizer the engine creates the groups of the secondary partition with a function that it does not have: `'DeepSpeedEngine' object has no attribute '_set_zero_group_parallelism'`.",
    fix: "Add an optimizer section, pass an optimizer to deepspeed.initialize, or leave zero_hpz_partition_size out.",
    fires: { $without: ["optimizer"], zero_optimization: { stage: 3, zero_hpz_partition_size: 4 } },
    silent: { $without: ["optimizer"], zero_optimization: { stage: 3 } },
  }),
  build("nvme-path", {
    about: [`${offload}.nvme_path`, "zero_optimization.offload_param.nvme_path"],
    check: (settings, host) => {
      if (stageOf(settings) !== 3) return null;
      const parts = [
        "offload_param",
        ...(makesOptimizer(settings, host.clientOptimizer) ? ["offload_optimizer"] : []),
      ];
      const bad = parts.find((name) => {
        const section = settings.zero.section(name);
        return section?.text("device") === "nvme" && (section.value("nvme_path") ?? null) === null;
      });
      return bad === undefined ? null : `zero_optimization.${bad} is offloaded to nvme, but nvme_path is missing`;
    },
    why: "States on NVMe are files in a folder below nvme_path. Without the path the engine stops.",
    fix: "Add nvme_path, a folder on the disk of the node, beside the device.",
    fires: { zero_optimization: { stage: 3, offload_optimizer: { device: "nvme" } } },
    silent: { zero_optimization: { stage: 3, offload_optimizer: { device: "nvme", nvme_path: "/nvme" } } },
  }),
  build("nvme-stage", {
    about: `${offload}.device`,
    severity: "warning",
    check: (settings) => {
      const stage = stageOf(settings);
      return shards(stage) && settings.zero.section("offload_optimizer")?.text("device") === "nvme"
        ? `ZeRO stage ${stage} keeps the optimizer's states in host memory: only stage 3 supports nvme`
        : null;
    },
    why: "Stages 1 and 2 keep offloaded optimizer states in host memory, whatever the device. Nothing is written to nvme_path, and a node with too little memory runs out of it.",
    fix: 'Write zero_optimization.stage 3 to put the states on NVMe, or "cpu" as the device.',
    fires: { zero_optimization: { stage: 2, offload_optimizer: { device: "nvme", nvme_path: "/nvme" } } },
    silent: { zero_optimization: { stage: 2, offload_optimizer: { device: "cpu" } } },
  }),
  build("superoffload", {
    about: `${offload}.super_offload`,
    check: (settings, host) =>
      stageOf(settings) === 3 &&
      settings.zero.section("offload_optimizer")?.on("super_offload") === true &&
      makesOptimizer(settings, host.clientOptimizer) &&
      host.accelerator !== "cuda"
        ? "super_offload needs NVIDIA GPUs"
        : null,
    why: "SuperOffload is designed for the fast link of Grace Hopper (runtime/superoffload/superoffload_stage3.py).",
    fix: "Set super_offload to false, or run on NVIDIA GPUs.",
    fires: {
      zero_optimization: { stage: 3, offload_optimizer: { device: "cpu", super_offload: true } },
      $accelerator: "cpu",
    },
    silent: { zero_optimization: { stage: 3, offload_optimizer: { device: "cpu", super_offload: true } } },
  }),
  build("unmanaged-accumulation", {
    about: ["managed_gradient_accumulation", "zero_optimization.overlap_comm"],
    check: (settings, host) => {
      const managed = settings.config.get("managed_gradient_accumulation");
      if (managed === undefined || truthy(managed)) return null;
      const stage = stageOf(settings);
      const overlaps = settings.zero.given("overlap_comm") ? settings.zero.on("overlap_comm") : stage === 3;
      if (overlaps && stage < 2) return "managed_gradient_accumulation false with overlap_comm needs ZeRO stage 2";
      if (host.model.kind === "pipeline")
        return "managed_gradient_accumulation false cannot be combined with pipeline stages";
      return settings.compile.on("deepcompile")
        ? "managed_gradient_accumulation false cannot be combined with DeepCompile"
        : null;
    },
    why: "A program that accumulates itself chooses when to step; pipelines and DeepCompile count micro-batches themselves (runtime/engine.py: _do_sanity_check).",
    fix: "Leave managed_gradient_accumulation out (it is true); or follow the message: stage 2, overlap_comm false, no pipeline and no DeepCompile.",
    fires: { managed_gradient_accumulation: false, zero_optimization: { stage: 1, overlap_comm: true } },
    silent: { managed_gradient_accumulation: false, zero_optimization: { stage: 2, overlap_comm: true } },
  }),
];
