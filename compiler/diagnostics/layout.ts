import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const layoutParallel = define<{
  property: string;
  value: string;
  able: readonly string[];
  others: string;
}>({
  code: "cdr/layout-parallel",
  severity: "error",
  message: ({ property, value, able, others }) =>
    `${property} ${value}: ${able.length === 1 ? `engine ${able[0]} does` : `engines ${able.join(" and ")} do`} not split a model that way; engine ${others} does`,
  explanation:
    "The torch and DeepSpeed engines give every rank whole layers; DeepSpeed's ranks may share a sequence (`context_parallel`). To fit a larger model, raise `zero_stage`, use " +
    "`recompute = full` or `offload`; what the ranks share is then sharded over all of them. Or take `engine = megatron`, which splits " +
    "matrices, layers, sequences and experts over ranks.",
  fix: "Write `engine = megatron`; or leave the property out and raise `zero_stage`, `recompute = full` or `offload`.",
});

export const layoutWaits = define<{ property: string; value: string; why: string }>({
  code: "cdr/layout-waits",
  severity: "info",
  message: ({ property, value, why }) =>
    `${property} ${value}: ${why}; the stage is not planned, and no \`assert\` on its plan is judged`,
  explanation:
    "No engine here splits this model over these ranks. Where the stage names no engine it is checked all the same; it is not planned, so " +
    "that an `assert` on its plan has nothing to judge, and a run of it is refused.",
  fix: "Leave the property out to see a plan without the split; as it stands the stage waits for an engine that can.",
});

export const layoutUnsupported = define<{ property: string; value: string; engine: string; others: string }>({
  code: "cdr/layout-unsupported",
  severity: "error",
  message: ({ property, value, engine, others }) =>
    `${property} = ${value} is nothing that engine ${engine} can do; ${others === "" ? "no engine here can" : `engine ${others} can`}`,
  explanation:
    "Each engine has its own ZeRO stages, ways to recompute and places to offload to; `valid` lists what this one has. " +
    "Without an `engine` in the stage, the compiler takes one that can do what the layout asks for.",
  fix: "Take a value that `valid` lists, or the engine that the message names.",
});

export const layoutDetail = define<{ what: string; why: string }>({
  code: "cdr/layout-detail",
  severity: "error",
  message: ({ what, why }) => `${what}: ${why}`,
  explanation:
    "`recompute = full(block = 4)` runs four layers of each stage again and keeps what the others have; `full(uniform = 2)` keeps one input " +
    "for two layers; `selective(modules = [core_attn, mlp])` runs parts of each layer again; `offload = activations(layers = 8)` moves what " +
    "eight layers keep to the host. A set of values (`recompute in [none, full]`) leaves the choice to the planner and has plain words. " +
    "`pipeline_schedule` is the order in which stages run micro-batches: `one_forward_one_backward` with one chunk of layers a stage, " +
    "`interleaved` with several (`virtual_pipeline`).",
  fix: "Do what the message names, or leave one of the two out.",
});

export const layoutEmpty = define<{ bounds: string; why: string }>({
  code: "cdr/layout-empty",
  severity: "error",
  message: ({ bounds, why }) => `no layout satisfies ${bounds}${why === "" ? "" : `: ${why}`}`,
  explanation:
    "The planner looks at every way to split the model over the ranks that the engine starts, with every micro-batch that divides the " +
    "batch and every ZeRO stage, recomputation and offload that the engine has. The pins and bounds that are named leave none of " +
    "them, and without any one of these they would. `valid` has the values that the rest leaves.",
  fix: "Change one of the pins or bounds that are named; `valid` has the values that the rest leaves.",
});

export const memoryExceeded = define<{
  peak: string;
  usable: string;
  layout: string;
  largest: string;
  advice: string;
  least: string | null;
}>({
  code: "cdr/memory-exceeded",
  severity: "error",
  message: ({ peak, usable, layout, largest, advice, least }) =>
    `the leanest layout (${layout}) needs about ${peak} per rank of ${usable} usable; most of it is ${largest}${advice}${least === null ? "" : `; ${least}`}`,
  explanation:
    "The estimate counts weights, gradients, optimizer state, activations, logits, buffers and the runtime of one rank at its " +
    "worst instant.",
  fix: "Take out the pin that the message names, or take the engine that it names, more devices or a smaller model.",
});

export const memoryTight = define<{ peak: string; usable: string; layout: string; isOver: boolean }>({
  code: "cdr/memory-tight",
  severity: "warning",
  message: ({ peak, usable, layout, isOver }) =>
    `the layout (${layout}) is estimated at ${peak} of ${usable} usable per rank: ${isOver ? "it may not fit, and what is missing is less than the estimate's own error" : "less room than the estimate's own error"}`,
  explanation: "Memory estimates are off by some percent; a plan this close to the limit may run out of memory.",
  fix: "Take a smaller `micro_batch` or a higher `zero_stage`, or calibrate the cluster, which makes the estimate narrower.",
});

export const memoryHost = define<{
  what: string;
  need: string;
  have: string;
  advice: string;
  least: string | null;
}>({
  code: "cdr/memory-host",
  severity: "error",
  message: ({ what, need, have, advice, least }) =>
    `${what} about ${need} of host memory per node, which has ${have}${advice}${least === null ? "" : `; ${least}`}`,
  explanation:
    "What `offload` takes off the device lies in the memory of its host: optimizer state, gradients, and with `all` the weights. Each process " +
    "has its program there too, of a few GiB.",
  fix: "Offload less (`offload = optimizer`), take more nodes, or name a cluster whose nodes have more `ram`.",
});

export const memoryHostUnknown = define<{ need: string; what: string; cluster: string }>({
  code: "cdr/memory-host-unknown",
  severity: "warning",
  message: ({ need, what, cluster }) =>
    `with ${what} each node holds about ${need} in its own memory, and cluster ${cluster} does not say how much its nodes have`,
  explanation:
    "What `offload` takes off the device lies in the memory of its host. Where the cluster has no `ram`, nothing holds the plan to it, and a " +
    "node that has less ends the run when it starts.",
  fix: "Write what a node has, `node { ram = 256 GB }`, in the cluster of the launch; or forbid it with `layout { offload = none }`.",
});

export const layoutWorld = define<{ value: string; world: number; ranks: string }>({
  code: "cdr/layout-world",
  severity: "error",
  message: ({ value, world, ranks }) =>
    `data_parallel ${value}, but ${ranks} make ${world} replica${world === 1 ? "" : "s"}`,
  explanation:
    "No engine here splits a model over ranks, so each rank is a replica: `data_parallel` is the number of nodes times the devices " +
    "of each.",
  fix: "Leave `data_parallel` out, or change the cluster or the `processes` of the launch.",
});
