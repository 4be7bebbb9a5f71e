/** What arguments in `raw megatron { … }` make of what the engine allocates and overlaps. */
import type { Engine } from "../../planner/physics/engine.ts";
import type { Run } from "../engine.ts";
import { hasBlockScales, isNarrow, quantised, recipeOf } from "./narrow.ts";
import { rawWord } from "./raw-word.ts";

type Said = (name: string) => unknown;

interface Reading {
  readonly arguments: readonly string[];
  readonly read: (engine: Engine, said: Said, run: Run) => Engine;
}

const bytesOf: Readonly<Record<string, number>> = { fp32: 4, fp16: 2, bf16: 2, fp8: 1 };
const width = (said: unknown): number => bytesOf[String(said)] ?? 4;

/** Gradients are summed and reduced in 16 bits where both are said: megatron/training/arguments.py turns 32 on again otherwise. */
export function narrowGradients(said: Said): boolean {
  return (
    said("accumulate_allreduce_grads_in_fp32") !== true &&
    (said("grad_reduce_in_bf16") === true || said("main_grads_dtype") === "bf16")
  );
}

const readings: readonly Reading[] = [
  {
    arguments: ["fp8", "fp8_recipe", "fp8_param_gather", "fp4", "fp4_recipe"],
    read: (engine, said, { precision, device }) => {
      const format = isSaid(said("fp8")) ? "fp8" : isSaid(said("fp4")) ? "fp4" : null;
      if (format === null || isNarrow(precision)) return engine;
      const recipe = said(`${format}_recipe`) ?? (format === "fp8" ? "delayed" : "nvfp4");
      return quantised(engine, format, String(recipe), hasBlockScales(device), said("fp8_param_gather") === true);
    },
  },
  {
    arguments: ["grad_reduce_in_bf16", "accumulate_allreduce_grads_in_fp32", "main_grads_dtype"],
    read: (engine, said, { precision }) =>
      narrowGradients(said) && (precision === "bf16" || isNarrow(precision))
        ? { ...engine, states: { ...engine.states, gradients: 2 }, reduced: 2 }
        : engine,
  },
  {
    // Of a master in 32 bits whose weight is bf16 the other half is kept (megatron/core/optimizer/optimizer_config.py: store_param_remainders).
    arguments: ["use_precision_aware_optimizer", "main_params_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"],
    read: (engine, said, { precision }) => {
      if (said("use_precision_aware_optimizer") !== true) return engine;
      const master =
        precision === "bf16" ? Math.min(2, width(said("main_params_dtype"))) : width(said("main_params_dtype"));
      const moments = width(said("exp_avg_dtype")) + width(said("exp_avg_sq_dtype"));
      return { ...engine, states: { ...engine.states, optimizer: master + moments } };
    },
  },
  {
    arguments: ["overlap_grad_reduce", "overlap_param_gather", "overlap_p2p_comm", "overlap_p2p_comm_warmup_flush"],
    read: (engine, said) => ({
      ...engine,
      overlaps: {
        ...engine.overlaps,
        ...(said("overlap_grad_reduce") === false ? { gradients: false } : {}),
        ...(said("overlap_param_gather") === false ? { weights: false } : {}),
        ...(said("overlap_p2p_comm_warmup_flush") === true ? { filling: true } : {}),
        pipeline: engine.overlaps.pipeline && said("overlap_p2p_comm") !== false,
      },
    }),
  },
  {
    arguments: ["overlap_moe_expert_parallel_comm"],
    read: (engine, said) =>
      said("overlap_moe_expert_parallel_comm") === true
        ? { ...engine, overlaps: { ...engine.overlaps, experts: true } }
        : engine,
  },
  {
    // Transformer Engine has such a kernel for blocks of 8 bits alone, on devices that scale them (pytorch/ops/fused: grouped MLP).
    arguments: ["use_transformer_engine_op_fuser"],
    read: (engine, said, { device, narrow }) =>
      said("use_transformer_engine_op_fuser") === true &&
      engine.format === "fp8" &&
      hasBlockScales(device) &&
      recipeOf(device, narrow) === "mxfp8"
        ? { ...engine, fused: true }
        : engine,
  },
  {
    arguments: ["muon_tp_mode"],
    read: (engine, said) => (said("muon_tp_mode") === "duplicated" ? { ...engine, blockwise: false } : engine),
  },
  {
    arguments: ["optimizer_cpu_offload", "optimizer_offload_fraction"],
    read: (engine, said) => {
      const { states } = engine;
      return { ...engine, states: { ...states, optimizer: states.optimizer * (1 - hostShareOf(said)) } };
    },
  },
];

const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** The part of the optimizer that runs on the host. */
function hostShareOf(said: Said): number {
  if (said("optimizer_cpu_offload") !== true) return 0;
  const share = said("optimizer_offload_fraction");
  return typeof share === "number" ? Math.min(1, Math.max(0, share)) : 1;
}

/** Of each such parameter the host has the master, two moments and the gradient in 32 bits. */
const hostBytes = 16;

const noRaw = {};

export function withRaw(engine: Engine, run: Run): { engine: Engine; host: number; stepped: number } {
  const { raw = noRaw } = run;
  const said: Said = (name) => rawWord(raw, name);
  const stepped = run.offload === "optimizer" ? 1 : hostShareOf(said);
  const read = readings.reduce((one, reading) => reading.read(one, said, run), engine);
  return {
    engine: stepped === 1 ? withoutOptimizer(read) : read,
    host: hostBytes * stepped,
    stepped,
  };
}

/** What the host holds is not the device's. */
const withoutOptimizer = (engine: Engine): Engine => ({ ...engine, states: { ...engine.states, optimizer: 0 } });

/** Names of the arguments that are read here. */
export const readInEngine: readonly string[] = readings.flatMap((reading) => reading.arguments);
