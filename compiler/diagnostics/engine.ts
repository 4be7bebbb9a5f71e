/** A stage and the engine that it runs on. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const enginePrecision = define<{ precision: string; device: string; engine: string }>({
  code: "cdr/engine-precision",
  severity: "error",
  message: ({ precision, device, engine }) =>
    `${engine} cannot train in ${precision} on ${device}: it has no such type`,
  explanation:
    "bf16 needs an NVIDIA GPU of the Ampere generation or later (A100, not T4 or V100) or an AMD Instinct; fp16 needs a GPU. The engines " +
    "notice only after the job has been given its devices.",
  fix: "Write `precision = fp16` on an older GPU and `fp32` on a CPU, or use a GPU of the Ampere generation or later.",
});

export const engineNarrow = define<{ precision: string; engine: string; others: string }>({
  code: "cdr/engine-narrow",
  severity: "error",
  message: ({ precision, engine, others }) =>
    `engine ${engine} cannot multiply matrices in ${precision}; ${others} can`,
  explanation: "Matrix products in 8 and 4 bits need Transformer Engine, which only Megatron uses.",
  fix: "Write `engine = megatron`, or `precision = bf16`.",
});

export const engineNarrowDevice = define<{ precision: string; device: string; able: string }>({
  code: "cdr/engine-narrow-device",
  severity: "error",
  message: ({ precision, device }) => `${device} has no matrix units for ${precision}`,
  explanation:
    "fp8 needs NVIDIA's Ada or Hopper (L4, L40S, H100), fp4 and the block scaling of `mxfp8` need Blackwell (B200, GB200). A " +
    "`gpu` of your own has it if you write its peak: `gpu mine { fp8 = 1979 TFLOP/s, … }`.",
  fix: "Write `precision = bf16`, or use a device that has them.",
  fixFor: ({ able }) => `Write \`precision = bf16\`, or use a device that has them: ${able}.`,
});

export const engineTuning = define<{ property: string; engine: string; others: string }>({
  code: "cdr/engine-tuning",
  severity: "error",
  message: ({ property, engine, others }) =>
    `engine ${engine} trains every weight: it has no \`${property}\`; ${others} have`,
  explanation:
    "Megatron-LM's own programs train every weight. Adapters and frozen weights are available with the engines that train models of the transformers library.",
  fix: "Write `engine = torch` or `deepspeed`, or train every weight.",
});

export const engineConversations = define<{ engine: string; why: string; instead: string }>({
  code: "cdr/engine-conversations",
  severity: "error",
  message: ({ engine, why, instead }) => `${engine} cannot train on these conversations: ${why}; write ${instead}`,
  explanation:
    "Megatron reads conversations as JSON lines (`--sft`) and tokenizes them itself. It trains on the answers alone only in its two " +
    "Nemotron formats; with the tokenizer's own chat template, or without one, every token counts in the loss.",
  fix: "Write what the message says, in the data or in the stage.",
});

export const engineVersion = define<{ engine: string; version: string; valid: string }>({
  code: "cdr/engine-version",
  severity: "error",
  message: ({ engine, version, valid }) => `${engine} ${version} is not a known release; known are ${valid}`,
  explanation:
    "Arguments change between the versions of an engine, so a stage is checked against the version that it names. `0.19` means the " +
    "last 0.19 release.",
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
    `${argument} (from ${from}) needs ${engine} ${came}, but this stage names ${version}`,
  explanation:
    "A stage is compiled to the arguments of the release that it names. That release does not have this argument yet and would stop at it; " +
    "without the argument, the run would be a different one.",
  fix: "Name the release in the message or a newer one, or remove the property that needs the argument.",
});

export const engineModel = define<{ engine: string; family: string; why: string }>({
  code: "cdr/engine-model",
  severity: "error",
  message: ({ engine, family, why }) => `${engine} has no model of family ${family}: ${why}`,
  explanation:
    "An engine with its own model code can build only the models that its arguments describe. Engines torch and deepspeed build every " +
    "family that transformers has.",
  fix: "Write `engine = deepspeed` or `torch`, or choose a family that the engine has.",
});

export const engineDevice = define<{ engine: string; device: string }>({
  code: "cdr/engine-device",
  severity: "error",
  message: ({ engine, device }) => `${engine} trains only on NVIDIA GPUs, but the ranks are ${device}`,
  explanation: "Megatron requires CUDA at its start, whatever its distributed backend.",
  fix: "Name a cluster of NVIDIA GPUs in a launch, `launch hpc on pod { … }`, or write `engine = torch`.",
});

export const engineOption = define<{ engine: string; option: string; why: string }>({
  code: "cdr/engine-option",
  severity: "error",
  message: ({ engine, option, why }) => `${option} of engine ${engine}: ${why}`,
  explanation:
    "Some options of an engine work only with certain layouts: `shard_over` when ranks shard a model (torch: zero_stage 2 or 3, " +
    "deepspeed: 3), `quantize` with zero_stage 3 on GPUs, `nvme` with offloading under zero_stage 3, `offload` with an optimizer that a host can step (not `adam8bit`).",
  fix: "Remove the option, or choose a layout that it works with.",
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
    `${name} = "${written}" has no effect: stage \`${stage}\` on engine ${engine} ${derived === null ? "unsets it" : `sets it to "${derived}"`}`,
  explanation:
    "Some environment variables are derived from the stage and override those of a launch or a shell: the kernels and transfers of " +
    "tensor parallelism need a single queue to stay in order, and a run that repeats bit for bit pins the algorithms of its libraries.",
  fix: "Remove the variable from `env`, or change the property of the stage that it follows from.",
});

export const engineProperty = define<{ engine: string; property: string; value: string; valid: string }>({
  code: "cdr/engine-property",
  severity: "error",
  message: ({ engine, property, value, valid }) => `${engine} has no ${property} ${value}; it has ${valid}`,
  explanation: "Each engine has its own optimizers and schedules.",
  fix: "Choose one that the message names, or another engine.",
});
