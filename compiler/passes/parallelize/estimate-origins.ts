/** Where the figures of an estimate come from: the physics, and the measurements that it was fitted on. */
import type { Origin } from "../../../dsl/eval/origin.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { intervalRule } from "../../planner/cpu/errors.ts";
import { groundOf } from "../../planner/adapter/ground.ts";
import { shown } from "../../planner/worked/expression.ts";
import { workedMemory } from "../../planner/worked/memory.ts";
import { workedTime } from "../../planner/worked/time.ts";
import { onCpu, type Setting } from "../../planner/setting.ts";

type Origins = Record<string, Origin>;

const derived = (rule: string, inputs: readonly string[], source: string): Origin => ({
  kind: "derived",
  rule,
  inputs,
  source,
});

/** What a rank's share of the weights is divided by. */
const divides = ["layout.tensor_parallel", "layout.pipeline_parallel", "layout.data_parallel"];
const tokens = ["batch.micro_batch", "batch.sequence"];

/** The parts with the figures that they are made of; the words alone where nobody reckons so, on a processor. */
function withFigures(origins: Origins, formulas: Readonly<Record<string, string>>): Origins {
  return Object.fromEntries(
    Object.entries(origins).map(([path, origin]) => {
      const formula = formulas[path];
      return [
        path,
        formula === undefined || origin.kind !== "derived"
          ? origin
          : { ...origin, rule: `${origin.rule}: ${formula}` },
      ];
    }),
  );
}

function memoryFormulas({ setting, choice }: Evaluated): Readonly<Record<string, string>> {
  if (onCpu(setting)) return {};
  const { instant, parts } = workedMemory(setting, choice);
  return Object.fromEntries([
    ["memory.peak", instant],
    ...Object.entries(parts).map(([part, formula]) => [`memory.parts.${part}`, shown(formula)] as const),
  ]);
}

function timeFormulas({ setting, choice, time }: Evaluated): Readonly<Record<string, string>> {
  if (onCpu(setting)) return {};
  const formulas = workedTime(setting, choice, time.parts);
  return Object.fromEntries(
    Object.entries(formulas).map(([part, formula]) => [`time.parts.${part}`, shown(formula)]),
  );
}

export function memoryOrigins(evaluated: Evaluated): Origins {
  return withFigures(memoryRules(evaluated), memoryFormulas(evaluated));
}

function memoryRules({ setting }: Evaluated): Origins {
  const engine = setting.engine.name;
  const descriptor = onCpu(setting)
    ? `compiler/engines/${engine}/states.ts`
    : `what ${engine} allocates, read from its source: compiler/engines/${engine}/describe.ts`;
  const states = (what: string): Origin =>
    derived(
      `${what} of engine ${engine}`,
      ["model.parameters.total", ...divides, "layout.zero_stage", "layout.offload"],
      descriptor,
    );
  // A calibration measures a process, and no GPU's memory.
  const fitted = onCpu(setting)
    ? (calibrationOf(setting) ?? "twelve runs on a CPU")
    : constantsOf(groundOf(setting).measured.memory);
  return {
    "memory.usable": derived("share of the capacity that published runs reached", ["memory.capacity"], fitted),
    "memory.peak": derived("sum of the parts at the peak of the fullest rank", ["memory.parts"], descriptor),
    "memory.ranks": derived(
      "the fullest rank of each stage of the pipeline",
      ["layout.pipeline_parallel"],
      descriptor,
    ),
    "memory.host_peak": derived(
      "processes of a node * (Python and CUDA on the host + the larger of the model as it is built and what is offloaded), and the weights that the first one gathers to save them",
      ["layout.zero_stage", "layout.offload", "model.parameters.total"],
      "resident size of a training process before its model",
    ),
    "memory.checkpoint": derived(
      "weights, master weights and moments",
      ["model.parameters.total"],
      "the state that an exact resume needs",
    ),
    "memory.parts.weights": states("weights"),
    "memory.parts.gradients": states("gradients"),
    "memory.parts.optimizer": states("moments and master weights"),
    "memory.parts.buffers": states("buckets, copies and gathered layers"),
    "memory.parts.activations": derived(
      "micro-batches in flight * layers of a stage * what autograd keeps per token * micro_batch * sequence",
      [
        "model.layers",
        "model.d_model",
        ...tokens,
        "layout.tensor_parallel",
        "layout.pipeline_parallel",
        "layout.context_parallel",
        "layout.recompute",
      ],
      "Korthikanti et al. 2022, arXiv 2205.05198; Narayanan et al. 2021, arXiv 2104.04473",
    ),
    "memory.parts.logits": derived(
      "bytes of the loss * micro_batch * sequence * vocab",
      [...tokens, "model.vocab", "layout.tensor_parallel"],
      descriptor,
    ),
    "memory.parts.runtime": derived("workspaces and the allocator's reserve", ["layout.world"], fitted),
    "memory.error": derived(
      onCpu(setting) ? intervalRule(setting.family.name) : groundOf(setting).intervals.memory,
      ["engine"],
      fitted,
    ),
  };
}

function calibrationOf({ cluster }: Setting): string | null {
  return Object.keys(cluster.calibration ?? {}).length > 0 ? `calibration of cluster ${cluster.name}` : null;
}

const constantsOf = (measured: string): string => `constants of ${measured}: compiler/planner/physics/constants`;

const parts: Readonly<Record<string, readonly [rule: string, inputs: readonly string[], source: string]>> = {
  compute: [
    "matrix products by tiles and waves, the attention core, what kernels between them move",
    [
      "model.flops_per_token.hardware",
      "batch.micro_batch",
      "batch.accumulation",
      "layout.tensor_parallel",
      "layout.pipeline_parallel",
      "layout.recompute",
    ],
    "NVIDIA, Matrix Multiplication Background User's Guide",
  ],
  host_launches: [
    "what the host takes to launch a layer's kernels, less what the device takes to run them: faster products gain nothing here",
    ["model.layers", "batch.accumulation", "layout.pipeline_parallel", "layout.recompute"],
    "fitted",
  ],
  data_comm: [
    "gradients and weights over the replicas, less what backward hides",
    ["model.parameters.total", ...divides, "layout.zero_stage"],
    "ZeRO, arXiv 1910.02054, section 7",
  ],
  tensor_comm: [
    "gathers and scatters of the stream in each layer",
    ["model.layers", "model.d_model", ...tokens, "layout.tensor_parallel"],
    "arXiv 2205.05198, section 4.2.2",
  ],
  expert_comm: [
    "tokens to their experts and back, forward and backward",
    ["model.d_model", ...tokens, "layout.expert_parallel"],
    "all-to-all over the group's links",
  ],
  context_comm: [
    "keys and values around the ring, less what attention hides",
    ["model.kv_heads", "model.head_dim", ...tokens, "layout.context_parallel"],
    "arXiv 2310.01889, section 3",
  ],
  pipeline_comm: [
    "sends between stages",
    ["model.d_model", ...tokens, "layout.pipeline_parallel", "layout.virtual_pipeline"],
    "arXiv 2104.04473, section 4.1",
  ],
  pipeline_bubble: [
    "stages that wait while the pipeline fills and drains",
    ["batch.accumulation", "layout.pipeline_parallel", "layout.virtual_pipeline"],
    "arXiv 2104.04473, section 2.2",
  ],
  optimizer: [
    "bytes that the optimizer moves / bandwidth",
    ["model.parameters.total", ...divides, "layout.zero_stage"],
    "states of a rank's shard",
  ],
  orthogonalised: [
    "bytes that the optimizer moves / bandwidth + Newton-Schulz steps, each 4 m^2 n + 2 m^3 FLOPs on each matrix of sides m <= n of the rank's share",
    ["model.parameters.total", ...divides, "layout.zero_stage", "optimizer.iterations"],
    "Jordan et al. 2024, Muon; Liu et al. 2025, arXiv 2502.16982, section 2",
  ],
  offload: [
    "shards over the host's link, and the optimizer on its processor",
    ["model.parameters.total", "layout.data_parallel", "layout.offload"],
    "PCIe 4 x16, from pinned memory",
  ],
  teacher: [
    "a forward pass of the teacher, laid out as its student",
    [...tokens, "layout.world"],
    "the same physics on the teacher's shape",
  ],
  other: ["seconds of a step that nothing else explains", ["layout.world"], "fitted"],
};

export function timeOrigins(evaluated: Evaluated): Origins {
  return withFigures(timeRules(evaluated), timeFormulas(evaluated));
}

function timeRules({ setting, time }: Evaluated): Origins {
  const fitted =
    calibrationOf(setting) ??
    (onCpu(setting) ? "shares of the CPU's peak and bandwidth" : constantsOf(groundOf(setting).measured.time));
  const named = Object.keys(time.parts).flatMap((part) => {
    const turns = part === "optimizer" && setting.optimizer?.muon !== undefined;
    const [rule, inputs, source] = parts[turns ? "orthogonalised" : part] ?? [];
    return rule === undefined || inputs === undefined || source === undefined
      ? []
      : [[`time.parts.${part}`, derived(rule, inputs, source)] as const];
  });
  return {
    "time.step": derived("sum of the parts", ["time.parts"], fitted),
    ...Object.fromEntries(named),
    "time.error": derived(
      onCpu(setting)
        ? intervalRule(setting.family.name)
        : setting.cluster.calibration?.time_error != null
          ? "half of the 80 % interval of the measurements"
          : groundOf(setting).intervals.time,
      ["engine"],
      fitted,
    ),
  };
}
