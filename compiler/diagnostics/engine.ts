/** A stage and the engine that it runs on. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const enginePrecision = define<{ precision: string; device: string; engine: string }>({
  code: "cdr/engine-precision",
  severity: "error",
  message: ({ precision, device, engine }) =>
    `${engine} cannot train in ${precision} on ${device}: it has no such type`,
  explanation:
    "bf16 needs an NVIDIA GPU from Ampere on (A100, not T4 or V100) or an AMD Instinct; fp16 needs a GPU. The engines notice " +
    "only after the job has its devices.",
  fix: "Write `precision = fp16` on an older GPU and `fp32` on a CPU, or take a device from Ampere on.",
});

export const engineNarrow = define<{ precision: string; engine: string; others: string }>({
  code: "cdr/engine-narrow",
  severity: "error",
  message: ({ precision, engine, others }) => `engine ${engine} has no products in ${precision}; ${others} has`,
  explanation: "Products in 8 and 4 bits need Transformer Engine, which Megatron brings.",
  fix: "Write `engine = megatron`, or `precision = bf16`.",
});

export const engineNarrowDevice = define<{ precision: string; device: string; able: string }>({
  code: "cdr/engine-narrow-device",
  severity: "error",
  message: ({ precision, device, able }) => `${device} has no matrix units for ${precision}; ${able} have`,
  explanation:
    "fp8 came with NVIDIA's Ada and Hopper (L4, L40S, H100), fp4 and the scaling by blocks of `mxfp8` with Blackwell (B200, GB200). A " +
    "device of your own says so by its figure: `gpu mine { fp8 = 1979 TFLOP/s, … }`.",
  fix: "Write `precision = bf16`, or take one of the devices that the message names.",
});

export const engineTuning = define<{ property: string; engine: string; others: string }>({
  code: "cdr/engine-tuning",
  severity: "error",
  message: ({ property, engine, others }) =>
    `engine ${engine} trains whole models: it has no \`${property}\`; ${others} have`,
  explanation:
    "Megatron-LM's own programs train every weight. Adapters and frozen weights are planned for the engines that train modules of transformers.",
  fix: "Write `engine = torch` or `deepspeed`, or train every weight.",
});

export const engineConversations = define<{ engine: string; why: string; instead: string }>({
  code: "cdr/engine-conversations",
  severity: "error",
  message: ({ engine, why, instead }) => `${engine} cannot train on these conversations so: ${why}; write ${instead}`,
  explanation:
    "Megatron reads conversations as JSON lines (`--sft`) and turns them into tokens itself. It masks what is no answer only in the two " +
    "formats of Nemotron that it brings; by the tokenizer's own chat template, and with contents alone, every token counts.",
  fix: "Write what the message names, in the data or in the stage.",
});

export const engineVersion = define<{ engine: string; version: string; valid: string }>({
  code: "cdr/engine-version",
  severity: "error",
  message: ({ engine, version, valid }) =>
    `the arguments of ${engine} ${version} are not known; those of ${valid} are`,
  explanation:
    "Arguments come and go between the versions of an engine, so a stage is judged against the version that it names. `0.19` means the " +
    "last release that begins so.",
  fix: "Write a version that `valid` lists.",
});

export const engineLate = define<{
  argument: string;
  from: string;
  came: string;
  version: string;
  engine?: string;
}>({
  code: "cdr/engine-late",
  severity: "error",
  message: ({ argument, from, came, version, engine = "Megatron" }) =>
    `${argument} (from ${from}) came with ${engine} ${came}, and this stage names ${version}`,
  explanation:
    "A stage is lowered to the arguments of the release that it names. What it asks for became one later: that release would refuse the " +
    "argument, and without it the run would be another one.",
  fix: "Name the release that the message gives or a newer one, or take out what asks for the argument.",
});

export const engineModel = define<{ engine: string; family: string; why: string }>({
  code: "cdr/engine-model",
  severity: "error",
  message: ({ engine, family, why }) => `${engine} has no model of family ${family}: ${why}`,
  explanation:
    "An engine that brings its own model code builds what its arguments can say and nothing else. Engines torch and deepspeed build every " +
    "family that transformers has.",
  fix: "Write `engine = deepspeed` or `torch`, or take a family that the engine has.",
});

export const engineDevice = define<{ engine: string; device: string }>({
  code: "cdr/engine-device",
  severity: "error",
  message: ({ engine, device }) => `${engine} trains on NVIDIA GPUs only, and the ranks are ${device}`,
  explanation: "Megatron asks for CUDA before it does anything else, whatever its distributed backend.",
  fix: "Name a cluster of NVIDIA GPUs in a launch, `launch hpc on pod { … }`, or write `engine = torch`.",
});

export const engineOption = define<{ engine: string; option: string; why: string }>({
  code: "cdr/engine-option",
  severity: "error",
  message: ({ engine, option, why }) => `${option} of engine ${engine}: ${why}`,
  explanation:
    "An option of an engine counts with the layouts that it is meant for: `shard_over` where ranks share a model (torch: zero_stage 2 or 3, " +
    "deepspeed: 3), `quantize` under zero_stage 3 on GPUs, `nvme` where something is offloaded under zero_stage 3.",
  fix: "Leave the option out, or give the layout that it is meant for.",
});

export const engineEnvironment = define<{
  name: string;
  written: string;
  stage: string;
  engine: string;
  derived: string | null;
}>({
  code: "cdr/engine-environment",
  severity: "error",
  message: ({ name, written, stage, engine, derived }) =>
    `${name} = "${written}" has no effect: stage \`${stage}\` on engine ${engine} ${derived === null ? "takes it away" : `sets it to "${derived}"`}`,
  explanation:
    "Some variables of the environment belong to how a stage is laid out: kernels and transfers of tensor parallelism keep their order only in " +
    "one queue, a run that repeats bit for bit pins the algorithms of its libraries. They are derived from the stage, whatever a launch or a " +
    "shell says.",
  fix: "Leave the variable out of `env`, or change what it follows from.",
});

export const engineProperty = define<{ engine: string; property: string; value: string; valid: string }>({
  code: "cdr/engine-property",
  severity: "error",
  message: ({ engine, property, value, valid }) => `${engine} has no ${property} ${value}; it has ${valid}`,
  explanation: "Each engine brings its own optimizers and schedules. `valid` lists those of this one.",
  fix: "Take one that `valid` lists, or another engine.",
});
