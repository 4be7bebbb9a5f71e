/** Norms that Megatron takes from PyTorch, which can less than Apex's and Transformer Engine's. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const { demand } = rulesOf(
  "megatron/core/models/backends.py: LocalSpecProvider.layer_norm; megatron/core/transformer/torch_norm.py: WrappedTorchNorm.__new__",
);

/** What the plain norm refuses of the arguments. */
export function refusedByPlainNorm(a: Arguments): readonly string[] {
  return [
    ...(a.no_persist_layer_norm ? [] : ["persistent kernels, which --no-persist-layer-norm turns off"]),
    ...(a.sequence_parallel ? ["--sequence-parallel"] : []),
    ...(a.layernorm_zero_centered_gamma ? ["zero-centred gamma"] : []),
  ];
}

export const plainNorm: readonly Step[] = [
  demand("plain-norm", {
    about: ["no_persist_layer_norm", "sequence_parallel", "transformer_impl", "normalization"],
    check: (a, host) => {
      const isPlain = a.transformer_impl === "local" && a.normalization === "RMSNorm" && a.spec === null;
      if (!isPlain || host.entry !== "gpt") return null;
      const refused = refusedByPlainNorm(a);
      return refused.length === 0 ? null : `the RMSNorm of the local transformer has no ${refused.join(", no ")}`;
    },
    why: "The local transformer takes its RMSNorm from PyTorch, whether Apex is installed or not. That one has no persistent kernel, which is the default, and no sequence parallelism: the arguments are accepted, and building the model stops with an assertion.",
    fix: "Add --no-persist-layer-norm and leave --sequence-parallel out, or write --transformer-impl transformer_engine.",
    severity: "warning",
    base: "local",
    fires: "--normalization RMSNorm",
    silent: "--normalization RMSNorm --no-persist-layer-norm",
  }),
];
