/** CUDA graphs: what is captured, and by whom. */
import type { Arguments } from "../launch.ts";
import { rulesOf, renamed, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");
const modules = rulesOf("megatron/core/transformer/cuda_graph_config.py: normalize_cuda_graph_modules");
const migration = rulesOf(
  "megatron/core/transformer/cuda_graph_config.py: validate_deprecated_cuda_graph_modules_migration_inputs",
);

/** Which units of inference each implementation can capture. */
const inferenceScopes: Readonly<Record<string, readonly string[]>> = {
  none: ["none"],
  local: ["layer", "block"],
  transformer_engine: ["none"],
  full_iteration: ["none"],
};

const oldModules = (a: Arguments): readonly string[] => [
  ...new Set(a.cuda_graph_modules.filter((each) => each === "full_iteration" || each === "full_iteration_inference")),
];

/** Old spellings become new ones before anything else looks at them. */
export const graphNames: readonly Step[] = [
  // Core 0.16 has the list under its first name alone.
  renamed("cuda_graph_scope", "cuda_graph_modules", (a) => {
    const { cuda_graph_scope: scope } = a as { readonly cuda_graph_scope?: unknown };
    if (Array.isArray(scope) && scope.length > 0) a.cuda_graph_modules = scope.map(String);
  }),
  ban("graphs-old-and-new", {
    about: ["enable_cuda_graph", "external_cuda_graph", "cuda_graph_impl"],
    when: (a) => (a.enable_cuda_graph || a.external_cuda_graph) && a.cuda_graph_impl !== "none",
    says: "--enable-cuda-graph and --external-cuda-graph are old names of --cuda-graph-impl, which is given too",
    why: "--cuda-graph-impl local replaces --enable-cuda-graph, --cuda-graph-impl transformer_engine replaces --external-cuda-graph.",
    fix: "Leave --enable-cuda-graph and --external-cuda-graph out; --cuda-graph-impl replaces them.",
    fires: "--enable-cuda-graph --cuda-graph-impl local",
    silent: "--cuda-graph-impl local",
  }),
  ban("graphs-two-old", {
    about: ["external_cuda_graph", "enable_cuda_graph"],
    when: (a) => a.enable_cuda_graph && a.external_cuda_graph,
    says: "--enable-cuda-graph and --external-cuda-graph choose two implementations",
    why: "Graphs are captured either by Megatron (--enable-cuda-graph) or by Transformer Engine (--external-cuda-graph), but both are requested.",
    fix: "Write --cuda-graph-impl local for Megatron's graphs, or --cuda-graph-impl transformer_engine, instead of both.",
    fires: "--enable-cuda-graph --external-cuda-graph",
    silent: "--enable-cuda-graph",
  }),
  settle(["cuda_graph_impl"], (a) => {
    if (a.cuda_graph_impl !== "none") return;
    if (a.enable_cuda_graph) a.cuda_graph_impl = "local";
    else if (a.external_cuda_graph) a.cuda_graph_impl = "transformer_engine";
  }),
  ban("graphs-scope-and-modules", {
    about: ["cuda_graph_scope_deprecated", "cuda_graph_modules"],
    when: (a) => a.cuda_graph_scope_deprecated !== null && a.cuda_graph_modules.length > 0,
    says: "--cuda-graph-scope is the old name of --cuda-graph-modules, which is given too",
    why: "Both list the modules to capture, the first under its old name. The engine does not guess which list is meant.",
    fix: "Leave --cuda-graph-scope out and list the modules in --cuda-graph-modules.",
    fires: "--cuda-graph-impl local --cuda-graph-scope attn --cuda-graph-modules attn",
    silent: "--cuda-graph-impl local --cuda-graph-modules attn",
  }),
  renamed("cuda_graph_scope_deprecated", "cuda_graph_modules", (a) => {
    if (a.cuda_graph_scope_deprecated !== null && a.cuda_graph_modules.length === 0)
      a.cuda_graph_modules = a.cuda_graph_scope_deprecated;
  }),
  modules.ban("graphs-full-alone", {
    about: ["cuda_graph_modules"],
    when: (a) => a.cuda_graph_modules.includes("full") && a.cuda_graph_modules.length > 1,
    says: "--cuda-graph-modules full includes every module and cannot be listed with another",
    why: "full captures the whole layer, so a second module would have no effect.",
    fix: "Leave --cuda-graph-modules out to capture whole layers, or list single modules without full.",
    fires: "--cuda-graph-impl local --cuda-graph-modules full attn",
    silent: "--cuda-graph-impl local --cuda-graph-modules full",
  }),
  migration.demand("graphs-old-modules", {
    about: ["cuda_graph_modules", "cuda_graph_impl", "inference_cuda_graph_scope"],
    check: (a) => {
      const old = oldModules(a);
      if (old.length > 1) return "--cuda-graph-modules takes one of full_iteration and full_iteration_inference";
      const [name] = old;
      const scope = a.inference_cuda_graph_scope;
      if (name === "full_iteration") {
        if (a.cuda_graph_impl === "transformer_engine")
          return "--cuda-graph-modules full_iteration contradicts --cuda-graph-impl transformer_engine";
        return scope === null || scope === "none"
          ? null
          : `--cuda-graph-modules full_iteration contradicts --inference-cuda-graph-scope ${scope}`;
      }
      if (name !== "full_iteration_inference") return null;
      if (a.cuda_graph_impl !== "none" && a.cuda_graph_impl !== "local")
        return `--cuda-graph-modules full_iteration_inference contradicts --cuda-graph-impl ${a.cuda_graph_impl}`;
      return scope === null || scope === "block"
        ? null
        : `--cuda-graph-modules full_iteration_inference contradicts --inference-cuda-graph-scope ${scope}`;
    },
    why: "full_iteration and full_iteration_inference are old spellings of --cuda-graph-impl full_iteration and --inference-cuda-graph-scope block, and contradict any other value of these options.",
    fix: "Write --cuda-graph-impl full_iteration for training, or --cuda-graph-impl local --inference-cuda-graph-scope block for inference, and remove the old word from --cuda-graph-modules.",
    fires: "--cuda-graph-impl transformer_engine --cuda-graph-modules full_iteration",
    silent: "--cuda-graph-impl full_iteration --no-check-for-nan-in-loss-and-grad",
  }),
  settle(["cuda_graph_modules", "cuda_graph_impl", "inference_cuda_graph_scope"], (a) => {
    const [old] = oldModules(a);
    if (old === "full_iteration") a.cuda_graph_impl = "full_iteration";
    if (old === "full_iteration_inference" && a.cuda_graph_impl !== "none") a.inference_cuda_graph_scope = "block";
    a.cuda_graph_modules = a.cuda_graph_modules.filter((each) => each !== old && each !== "full");
    a.inference_cuda_graph_scope ??= a.cuda_graph_impl === "local" ? "layer" : "none";
  }),
  demand("graphs-inference-scope", {
    about: ["inference_cuda_graph_scope", "cuda_graph_impl"],
    check: (a) =>
      inferenceScopes[a.cuda_graph_impl]?.includes(a.inference_cuda_graph_scope ?? "") === false
        ? `--inference-cuda-graph-scope ${a.inference_cuda_graph_scope} cannot be combined with --cuda-graph-impl ${a.cuda_graph_impl}`
        : null,
    valid: (a) => inferenceScopes[a.cuda_graph_impl] ?? [],
    why: "Only the local implementation captures inference, by layer or by block; for the others the scope is none.",
    fix: "Write a scope that the implementation supports: layer or block for --cuda-graph-impl local, none for the others. By default it is chosen automatically.",
    fires: "--cuda-graph-impl transformer_engine --inference-cuda-graph-scope block",
    silent: "--cuda-graph-impl local --inference-cuda-graph-scope block",
  }),
];

export const graphs: readonly Step[] = [
  ban("graphs-whole-step-nan", {
    about: ["check_for_nan_in_loss_and_grad", "cuda_graph_impl"],
    when: (a) => a.cuda_graph_impl === "full_iteration" && a.check_for_nan_in_loss_and_grad,
    says: "--cuda-graph-impl full_iteration needs --no-check-for-nan-in-loss-and-grad",
    why: "The check reads the loss on the host in the middle of the step. A graph cannot wait for the host while it is captured, and recording it fails.",
    fix: "Add --no-check-for-nan-in-loss-and-grad, or capture less: --cuda-graph-impl local or transformer_engine.",
    fires: "--cuda-graph-impl full_iteration",
    silent: "--cuda-graph-impl full_iteration --no-check-for-nan-in-loss-and-grad",
  }),
  ban("graphs-block-fp8", {
    about: ["transformer_impl", "fp8_recipe", "inference_cuda_graph_scope"],
    when: (a) =>
      a.inference_cuda_graph_scope === "block" &&
      a.fp8 !== null &&
      (a.transformer_impl !== "inference_optimized" || a.fp8_recipe !== "mxfp8"),
    says: "FP8 with --inference-cuda-graph-scope block needs --transformer-impl inference_optimized and --fp8-recipe mxfp8",
    why: "Only these kernels keep their scales where a graph of a whole block can read them.",
    fix: "Write --inference-cuda-graph-scope layer, or --transformer-impl inference_optimized with --fp8-recipe mxfp8.",
    fires: "--cuda-graph-impl local --inference-cuda-graph-scope block --fp8-format hybrid",
    silent: "--cuda-graph-impl local --inference-cuda-graph-scope layer --fp8-format hybrid",
  }),
  demand("graphs-inference-count", {
    about: ["inference_dynamic_batching_num_cuda_graphs"],
    check: (a) => {
      const count = a.inference_dynamic_batching_num_cuda_graphs;
      return a.cuda_graph_impl !== "local" || count > 0 || count === -1
        ? null
        : `--inference-dynamic-batching-num-cuda-graphs ${count} is neither positive nor -1`;
    },
    why: "The number is how many batch sizes are captured for inference; -1 lets the engine choose. With 0 nothing would be captured, although graphs are requested.",
    fix: "Set --inference-dynamic-batching-num-cuda-graphs to 1 or more, or to -1.",
    fires: "--cuda-graph-impl local --inference-dynamic-batching-num-cuda-graphs 0",
    silent: "--cuda-graph-impl local --inference-dynamic-batching-num-cuda-graphs 4",
  }),
];

/** What is looked at last. */
export const graphCapture: readonly Step[] = [
  settle(["te_rng_tracker"], (a) => {
    if (a.cuda_graph_impl !== "none" && [a.transformer_impl, a.cuda_graph_impl].includes("transformer_engine"))
      a.te_rng_tracker = true;
  }),
  ban("graphs-expandable-segments", {
    about: ["cuda_graph_impl"],
    when: (a, { env }) =>
      a.cuda_graph_impl === "transformer_engine" &&
      (env("PYTORCH_CUDA_ALLOC_CONF") ?? "").includes("expandable_segments:True") &&
      env("NCCL_GRAPH_REGISTER") !== "0",
    says: "CUDA graphs with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True need NCCL_GRAPH_REGISTER=0",
    why: "NCCL registers the buffers of a graph, but expandable segments move them: illegal memory accesses follow.",
    fix: "Set NCCL_GRAPH_REGISTER=0, or remove expandable_segments:True from PYTORCH_CUDA_ALLOC_CONF.",
    fires: "--cuda-graph-impl transformer_engine PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    silent:
      "--cuda-graph-impl transformer_engine PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True NCCL_GRAPH_REGISTER=0",
  }),
  ban("graphs-whole-step-modules", {
    about: ["cuda_graph_modules", "cuda_graph_impl"],
    when: (a) => a.cuda_graph_impl === "full_iteration" && a.cuda_graph_modules.length > 0,
    says: "--cuda-graph-impl full_iteration captures everything, so --cuda-graph-modules has no effect",
    why: "Modules are named when layers are captured one by one. A graph of the whole step captures everything, and a list would be ignored.",
    fix: "Leave --cuda-graph-modules out, or write --cuda-graph-impl local or transformer_engine.",
    fires: "--cuda-graph-impl full_iteration --no-check-for-nan-in-loss-and-grad --cuda-graph-modules attn",
    silent: "--cuda-graph-impl full_iteration --no-check-for-nan-in-loss-and-grad",
  }),
];
