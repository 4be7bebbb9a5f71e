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
    "With torch and DeepSpeed every rank computes whole layers; DeepSpeed's ranks can share a sequence (`context_parallel`). To fit a larger model, raise `zero_stage`, which " +
    "shards it over all ranks, or use `recompute = full` or `offload`. `engine = megatron` splits " +
    "matrices, layers, sequences and experts over ranks.",
  fix: "Write `engine = megatron`; or remove the property, and raise `zero_stage` or use `recompute = full` or `offload`.",
});

export const layoutWaits = define<{ splits: string; why: string }>({
  code: "cdr/layout-waits",
  severity: "info",
  message: ({ splits, why }) => `${splits}: ${why}; the stage is not planned`,
  explanation:
    "No engine here can split this model over these ranks. A stage without an `engine` is still checked, but it is not planned: an " +
    "`assert` on its plan is not tested, and the stage cannot be run.",
  fix: "Remove the splits to get a plan without them.",
});

export const layoutUnsupported = define<{ property: string; value: string; engine: string; others: string }>({
  code: "cdr/layout-unsupported",
  severity: "error",
  message: ({ property, value, engine, others }) =>
    `engine ${engine} does not support ${property} = ${value}; ${others === "" ? "no engine here does" : `engine ${others} does`}`,
  explanation:
    "Each engine has its own ZeRO stages, kinds of recomputation and offloading; `valid` lists those of this one. " +
    "If the stage has no `engine`, the compiler chooses one that supports the layout.",
  fix: "Write a value that `valid` lists, or the engine that the message names.",
});

export const layoutDetail = define<{ what: string; why: string }>({
  code: "cdr/layout-detail",
  severity: "error",
  message: ({ what, why }) => `${what}: ${why}`,
  explanation:
    "`recompute = full(block = 4)` recomputes four layers of each pipeline stage and keeps the activations of the others; `full(uniform = 2)` keeps one input " +
    "for every two layers; `selective(modules = [core_attn, mlp])` recomputes parts of each layer; `offload = activations(layers = 8)` moves the " +
    "activations of eight layers to the host. A set of values (`recompute in [none, full]`) leaves the choice to the planner and takes only plain words. " +
    "`pipeline_schedule` is the order in which pipeline stages run micro-batches: `one_forward_one_backward` with one chunk of layers per stage, " +
    "`interleaved` with several (`virtual_pipeline`).",
  fix: "Follow the message, or remove one of the two.",
});

export const layoutEmpty = define<{ bounds: string; why: string }>({
  code: "cdr/layout-empty",
  severity: "error",
  message: ({ bounds, why }) => `no layout satisfies ${bounds}${why === "" ? "" : `: ${why}`}`,
  explanation:
    "The planner tries every way to split the model over the ranks, with every micro-batch that divides the " +
    "batch and every ZeRO stage, recomputation and offload of the engine. The named values and bounds exclude all of " +
    "them; without any one of these, some layout would be left.",
  fix: "Change one of the named values or bounds; `valid` has the values that the others allow.",
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
    "peak.",
  fix: "Remove the fixed value or take the engine that the message names, or use more devices or a smaller model.",
});

export const memoryTight = define<{ peak: string; usable: string; layout: string; isOver: boolean }>({
  code: "cdr/memory-tight",
  severity: "warning",
  message: ({ peak, usable, layout, isOver }) =>
    `the layout (${layout}) is estimated at ${peak} of ${usable} usable per rank: ${isOver ? "it may not fit, but the estimate's error is larger than the excess" : "the estimate's error is larger than the margin"}`,
  explanation: "Memory estimates are off by a few percent; a plan this close to the limit may run out of memory.",
  fix: "Free what the layout pins, use more devices or ones with more memory, or try a few steps before a long run.",
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
    "`offload` moves optimizer state, gradients, and with `all` the weights from the device to the memory of its host. Each process " +
    "also needs a few GiB there for its program.",
  fix: "Offload less (`offload = optimizer`), use more nodes, or name a cluster whose nodes have more `ram`.",
});

export const memoryHostUnknown = define<{ need: string; what: string; cluster: string }>({
  code: "cdr/memory-host-unknown",
  severity: "warning",
  message: ({ need, what, cluster }) =>
    `${what} needs about ${need} of host memory per node, but cluster ${cluster} gives no \`ram\` of its nodes`,
  explanation:
    "`offload` moves data from the device to the memory of its host. Without the `ram` of the cluster's nodes, the plan cannot be checked, and " +
    "on a node with too little memory the run ends when it starts.",
  fix: "Write the memory of a node, `node { ram = 256 GB }`, in the cluster of the launch; or forbid offloading with `layout { offload = none }`.",
});

export const layoutWorld = define<{ value: string; world: number; ranks: string }>({
  code: "cdr/layout-world",
  severity: "error",
  message: ({ value, world, ranks }) =>
    `data_parallel ${value}, but ${ranks} make ${world} replica${world === 1 ? "" : "s"}`,
  explanation:
    "This engine does not split a model over ranks, so each rank is a replica: `data_parallel` is the number of nodes times the devices " +
    "of each.",
  fix: "Remove `data_parallel`, or change the cluster or the `processes` of the launch.",
});
