import type { Origin } from "../../../dsl/eval/origin.ts";
import { replicates, splitsModel } from "../../engines/engine.ts";
import type { Pipeline, StageStep } from "../../pipeline.ts";
import { bytes } from "../../planner/describe.ts";
import { totalOrigins } from "./total-origins.ts";
import { memoryOrigins, timeOrigins } from "./estimate-origins.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { groundOf, unspentOf } from "../../planner/adapter/ground.ts";
import type { Split } from "../../planner/setting.ts";

const derived = (rule: string, inputs: readonly string[], source?: string): Origin =>
  source === undefined ? { kind: "derived", rule, inputs } : { kind: "derived", rule, inputs, source };

/** The origin of every value of a stage's plan, by its dotted path. */
export function originsOf(
  stage: StageStep,
  pipeline: Pipeline,
  model: Readonly<Record<string, Origin>>,
  best: Evaluated,
  steps: string,
  reasons: { readonly engine: string; readonly tried: number },
): Record<string, Origin> {
  const { cluster } = pipeline.launch;
  const { memory, time, setting } = best;
  const planner = (property: string, why: string): Origin =>
    stage.layout.given.get(property)?.origin ?? { kind: "chosen", by: "planner", reason: why };
  const fastest = `of ${reasons.tried} layouts the simplest within 1 % of the least time and risk: ${time.step.toPrecision(3)} s a step, ${bytes(memory.peak)} of ${bytes(memory.usable)}`;
  const split = (property: keyof Split): Origin => {
    const most = property === "sequence_parallel" ? 2 : setting.engine.capabilities.parallel[property];
    const isOpen = property === "sequence_parallel" ? splitsModel(setting.engine) : most > 1;
    if (isOpen) return planner(property, fastest);
    const { name } = setting.engine;
    const source = replicates(setting.engine) ? `data parallel only: ${name} has no other` : `${name} has no other`;
    return { kind: "default", by: name, source };
  };
  const processes = pipeline.launch.spans.get("processes") ?? pipeline.launch.spans.get("gpus");
  const unwritten: Origin = { kind: "default", by: "launch", source: "without a cluster: this machine" };
  const { origins = { memory: unwritten, nodes: unwritten, gpus: unwritten } } = cluster;
  return {
    engine: stage.engine?.origin ?? { kind: "chosen", by: "planner", reason: reasons.engine },
    ...Object.fromEntries(Object.entries(model).map(([property, origin]) => [`model.${property}`, origin])),
    "model.family": stage.model.family.origin,
    "model.parameters": derived(
      "sum over the tensors of the family",
      ["model"],
      `transformers ${setting.family.class}`,
    ),
    "model.flops_per_token.model": derived(
      "3 * (2 * matrix elements + 2 * sequence * heads * head_dim * layers)",
      ["model", "batch.sequence"],
      "Megatron-LM training/training.py: num_floating_point_operations (half of the attention core is masked)",
    ),
    "model.flops_per_token.hardware": derived("model + one forward pass of what recompute repeats", [
      "layout.recompute",
    ]),
    "layout.world": derived("nodes * gpus_per_node", ["layout.nodes", "layout.gpus_per_node"]),
    "layout.nodes":
      cluster.open?.reason === undefined
        ? origins.nodes
        : { kind: "chosen", by: "planner", reason: cluster.open.reason },
    "layout.gpus_per_node":
      processes === undefined ? origins.gpus : { kind: "written", span: processes, layer: "file" },
    "layout.data_parallel": dataParallel(best),
    "layout.tensor_parallel": split("tensor_parallel"),
    "layout.pipeline_parallel": split("pipeline_parallel"),
    "layout.virtual_pipeline": split("virtual_pipeline"),
    "layout.context_parallel": split("context_parallel"),
    "layout.expert_parallel": split("expert_parallel"),
    "layout.expert_tensor_parallel": split("expert_tensor_parallel"),
    "layout.sequence_parallel": split("sequence_parallel"),
    "layout.recompute_block": planner("recompute", `the fewest layers of each chunk that make it fit, ${fastest}`),
    "layout.recompute_modules": planner("recompute", `modules whose products are not repeated, ${fastest}`),
    "layout.zero_stage": planner("zero_stage", fastest),
    "layout.shard_over": stage.sharding.over?.origin ?? { kind: "chosen", by: "planner", reason: fastest },
    "layout.recompute": planner("recompute", fastest),
    "layout.offload": planner("offload", fastest),
    "layout.padded_vocab": derived(
      `vocab, rounded up to a multiple of ${groundOf(setting).describe(best.choice).engine.padding} * tensor_parallel`,
      ["model.vocab", "layout.tensor_parallel"],
      "Megatron-LM core/tokenizers/utils/build_tokenizer.py: vocab_size_with_padding",
    ),
    "layout.held_parameters": derived("parameters of the model with this number of rows in its tables", [
      "model.parameters.total",
      "layout.padded_vocab",
    ]),
    trained: derived(
      "adapters, or the weights that are not frozen",
      ["model.parameters.total"],
      "Hu et al. 2021, arXiv 2106.09685",
    ),
    "batch.micro_batch": planner("micro_batch", fastest),
    "batch.accumulation": derived("global_batch / (micro_batch * data_parallel)", [
      "batch.global_batch",
      "batch.micro_batch",
      "layout.data_parallel",
    ]),
    "batch.global_batch":
      stage.batch.value.unit === "samples"
        ? stage.batch.origin
        : derived(`batch of ${stage.batch.value.value} tokens / sequence`, ["batch.sequence"]),
    "batch.sequence": stage.sequence.origin,
    "batch.tokens_per_step": derived("global_batch * sequence", ["batch.global_batch", "batch.sequence"]),
    "memory.capacity": origins.memory,
    ...memoryOrigins(best),
    ...timeOrigins(best),
    "time.tokens_per_second": derived("tokens_per_step / step", ["batch.tokens_per_step", "time.step"]),
    "time.tokens_per_second_per_gpu": derived("tokens_per_second / world", [
      "time.tokens_per_second",
      "layout.world",
    ]),
    "time.mfu": utilisation(best),
    "total.steps":
      stage.length.value.unit === "steps" ? stage.length.origin : derived(steps, ["batch.tokens_per_step"]),
    "total.tokens": derived("steps * tokens_per_step", ["total.steps", "batch.tokens_per_step"]),
    ...totalOrigins,
  };
}

/** By the peak of a rank's device, and without what frozen weights spare. */
function utilisation({ setting, time }: Evaluated): Origin {
  const unspent = unspentOf(setting);
  const counted =
    unspent === 0
      ? "flops_per_token.model"
      : `(flops_per_token.model - ${Math.round(unspent)} FLOPs that frozen weights spare)`;
  const peak = (time.tokens_per_second_per_gpu * groundOf(setting).flops) / time.mfu;
  return derived(
    `tokens_per_second * ${counted} / (world * ${(peak / 1e12).toPrecision(6)}e12 FLOP/s of the peak)`,
    ["time.tokens_per_second", "model.flops_per_token.model", "layout.world"],
    "PaLM, arXiv 2204.02311, appendix B",
  );
}

function dataParallel({ setting, choice }: Evaluated): Origin {
  if (!splitsModel(setting.engine)) {
    // An engine whose pipeline is a form of its own has one of these at a time.
    const share = (["context_parallel", "pipeline_parallel"] as const).find((size) => choice[size] > 1);
    return share === undefined
      ? derived("world", ["layout.world"])
      : derived(`world / ${share}`, ["layout.world", `layout.${share}`]);
  }
  return derived("world / (tensor_parallel * pipeline_parallel * context_parallel)", [
    "layout.world",
    "layout.tensor_parallel",
    "layout.pipeline_parallel",
    "layout.context_parallel",
  ]);
}
