/** Packages that parts of a model import, and that no argument list can tell to be there. */
import type { PackageNeed } from "../../../bundle/own-programs.ts";
import type { Judgement } from "../judge.ts";

type Values = Judgement["values"];

interface Part {
  readonly package: string;
  /** Its name in Python, where that is another. */
  readonly module: string;
  readonly asked: (values: Values) => boolean;
  readonly because: string;
}

const is = (values: Values, name: string, ...wanted: readonly unknown[]): boolean => wanted.includes(values[name]);
const letters = ({ hybrid_layer_pattern: pattern }: Values): string => (typeof pattern === "string" ? pattern : "");

/** Source: megatron/core, the imports that a module tries and whose lack it reports when the module is built. */
const parts: readonly Part[] = [
  {
    package: "mamba-ssm",
    module: "mamba_ssm",
    asked: (values) => letters(values).includes("M"),
    because: "the pattern has Mamba layers",
  },
  {
    package: "einops",
    module: "einops",
    asked: (values) => letters(values).includes("M"),
    because: "the pattern has Mamba layers",
  },
  {
    package: "flash-linear-attention",
    module: "fla",
    asked: (values) =>
      letters(values).includes("G") || is(values, "experimental_attention_variant", "gdn", "gdn2", "gated_delta_net"),
    because: "it computes gated delta nets",
  },
  {
    package: "deep-ep",
    module: "deep_ep",
    asked: (values) =>
      is(values, "moe_token_dispatcher_type", "flex") &&
      is(values, "moe_flex_dispatcher_backend", "deepep", "hybridep"),
    because: "the flex dispatcher sends tokens through it",
  },
  {
    package: "multi-storage-client",
    module: "multistorageclient",
    asked: (values) => is(values, "enable_msc", true),
    because: "--enable-msc is given",
  },
  {
    package: "nvidia-resiliency-ext",
    module: "nvidia_resiliency_ext",
    asked: (values) => is(values, "non_persistent_ckpt_type", "local"),
    because: "it writes local checkpoints",
  },
  ...["datasets", "transformers"].map((name): Part => ({
    package: name,
    module: name,
    asked: (values) => is(values, "sft", true) && !is(values, "mock_data", true),
    because: "--sft reads conversations with it",
  })),
  {
    package: "apex",
    module: "apex",
    asked: (values) =>
      is(values, "transformer_impl", "local") &&
      is(values, "normalization", "LayerNorm") &&
      (is(values, "no_persist_layer_norm", false) || is(values, "sequence_parallel", true)),
    because:
      "without it the local transformer takes PyTorch's norm, which has no persistent kernel and no sequence parallelism",
  },
  {
    package: "emerging-optimizers",
    module: "emerging_optimizers",
    asked: ({ optimizer }) => typeof optimizer === "string" && !["adam", "sgd"].includes(optimizer),
    because: "the optimizer is part of it",
  },
];

/** What a judged launch imports beside the engine, at any version. */
export const packagesOf = ({ values }: Judgement): readonly PackageNeed[] =>
  parts
    .filter(({ asked }) => asked(values))
    .map((part) => ({ package: part.package, module: part.module, at_least: null, because: part.because }));
