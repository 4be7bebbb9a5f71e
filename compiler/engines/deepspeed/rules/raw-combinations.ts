import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { engineCombination, engineRawIgnored } from "../../../diagnostics/engine.ts";
import type { Document } from "../../../document.ts";
import type { Rule } from "../../engine.ts";
import { derivedConfig } from "../config.ts";
import { isSection, merge } from "../merge.ts";
import { spanOf } from "./span.ts";

type Section = { readonly [key: string]: Document };

/** One combination that the engine refuses or never looks at. */
interface Combination {
  readonly key: string;
  readonly when: (config: Section, zero: Section, stage: number) => boolean;
  readonly because: string;
  readonly ignored?: true;
  /** File and function of the engine. */
  readonly source: string;
}

const section = (value: Document | undefined): Section => (isSection(value) ? value : {});
const offloads = (zero: Section): boolean => section(zero["offload_optimizer"])["device"] === "cpu";

const combinations: readonly Combination[] = [
  {
    key: "gradient_allreduce_op",
    when: (config, _, stage) => config["gradient_allreduce_op"] === "sum" && stage === 3,
    because: "ZeRO stage 3 only averages gradients",
    source: "runtime/config.py: _do_error_check",
  },
  {
    key: "fp16.fp16_master_weights_and_grads",
    when: (config, zero, stage) =>
      section(config["fp16"])["fp16_master_weights_and_grads"] === true && (stage === 0 || !offloads(zero)),
    because: "16-bit master weights need ZeRO and an optimizer offloaded to the CPU",
    source: "runtime/config.py: _do_error_check; runtime/zero/stage_1_and_2.py: __init__",
  },
  {
    key: "bf16.bf16_master_weights_and_grads",
    when: (config, zero, stage) =>
      section(config["bf16"])["bf16_master_weights_and_grads"] === true && (stage === 0 || !offloads(zero)),
    because: "16-bit master weights need ZeRO and an optimizer offloaded to the CPU",
    source: "runtime/config.py: _do_error_check; runtime/zero/stage3.py: __init__",
  },
  {
    key: "bf16.bf16_optimizer_states",
    when: (config) =>
      section(config["bf16"])["bf16_optimizer_states"] === true &&
      section(config["bf16"])["bf16_master_weights_and_grads"] !== true,
    because: "16-bit optimizer states need bf16_master_weights_and_grads",
    source: "runtime/config.py: _do_error_check",
  },
  {
    key: "gradient_predivide_factor",
    when: (config, zero, stage) =>
      stage >= 1 && zero["reduce_scatter"] !== false && (config["gradient_predivide_factor"] ?? 1) !== 1,
    because: "with reduce_scatter gradients are not divided before the sum",
    source: "runtime/zero/stage_1_and_2.py and stage3.py: __init__",
  },
  {
    key: "prescale_gradients",
    when: (config, zero, stage) =>
      stage >= 1 && zero["reduce_scatter"] !== false && config["prescale_gradients"] === true,
    because: "with reduce_scatter gradients are not scaled before the sum",
    source: "runtime/zero/stage_1_and_2.py and stage3.py: __init__",
  },
  {
    key: "data_types.grad_accum_dtype",
    when: (config, _, stage) => {
      const type = section(config["data_types"])["grad_accum_dtype"];
      const model = modelType(config);
      return stage === 0 && type !== undefined && type !== null && type !== model;
    },
    because: "without ZeRO gradients accumulate in the model's own type",
    source: "runtime/engine.py: _do_optimizer_sanity_check",
  },
  {
    key: "zero_optimization.elastic_checkpoint",
    when: (_, zero, stage) => stage === 3 && zero["elastic_checkpoint"] === true,
    because: "stage 3 cannot write elastic checkpoints",
    source: "runtime/zero/stage3.py: state_dict",
  },
  {
    key: "zero_optimization.legacy_stage1",
    when: (_, zero) => zero["legacy_stage1"] === true,
    because: "the old stage 1 was removed",
    source: "runtime/engine.py: _configure_zero_optimizer",
  },
  {
    key: "zero_optimization.offload_optimizer.ratio",
    when: (_, zero, stage) => stage < 3 && (section(zero["offload_optimizer"])["ratio"] ?? 1) !== 1,
    because: "only stage 3 offloads a part of the optimizer",
    source: "runtime/zero/config.py: offload_ratio_check",
  },
  {
    key: "zero_optimization.offload_param",
    when: (_, zero, stage) => stage < 3 && zero["offload_param"] !== undefined,
    because: "below stage 3 every rank keeps all weights on its device",
    ignored: true,
    source: "runtime/zero/config.py: DeepSpeedZeroConfig.offload_param",
  },
  {
    key: "zero_optimization.allgather_partitions",
    when: (_, zero) => zero["allgather_partitions"] !== undefined,
    because: "no stage reads it at this version",
    ignored: true,
    source: "runtime/zero/config.py: DeepSpeedZeroConfig.allgather_partitions",
  },
  {
    key: "data_parallel_size",
    when: (config) => config["data_parallel_size"] !== undefined && config["sequence_parallel_size"] === undefined,
    because: "it is read only beside sequence_parallel_size",
    ignored: true,
    source: "runtime/config.py: _initialize_params",
  },
];

/** What DeepSpeed asserts about several keys at once, before the first step rather than after the queue. */
export const rawCombinations: Rule = {
  name: "raw-combinations",
  source: "deepspeed runtime/config.py, runtime/engine.py, runtime/zero: see each combination",
  check: (stage, plan) => {
    if (Object.keys(stage.raw).length === 0) return [];
    const config = merge(derivedConfig(stage, plan), stage.raw);
    const zero = section(config["zero_optimization"]);
    return combinations
      .filter(({ when }) => when(config, zero, plan.layout.zero_stage))
      .map(({ key, because, ignored }): Diagnostic => {
        const span = spanOf(stage, key);
        return ignored === true
          ? engineRawIgnored(span, { key, why: because })
          : engineCombination(span, { what: `${key} with zero_stage ${plan.layout.zero_stage}`, because });
      });
  },
};

function modelType(config: Section): string {
  if (section(config["bf16"])["enabled"] === true) return "bf16";
  return section(config["fp16"])["enabled"] === true ? "fp16" : "fp32";
}
