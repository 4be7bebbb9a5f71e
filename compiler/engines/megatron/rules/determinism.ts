/** Bit-exact repetition. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban } = rulesOf("megatron/training/arguments.py: validate_args");
const determinism = rulesOf("megatron/training/determinism.py: apply_determinism_to_args");

/** Variables whose every other value makes kernels pick what is fastest. */
const exact: Readonly<Record<string, readonly string[]>> = {
  NVTE_ALLOW_NONDETERMINISTIC_ALGO: ["0"],
  CUBLAS_WORKSPACE_CONFIG: [":4096:8", ":16:8"],
};
const algorithms = ["Ring", "CollnetDirect", "CollnetChain", "^NVLS"];

export const repetition: readonly Step[] = [
  ban("cross-entropy-fused-te", {
    about: ["cross_entropy_fusion_impl", "cross_entropy_loss_fusion"],
    when: (a) => a.cross_entropy_loss_fusion && a.cross_entropy_fusion_impl === "te",
    says: "--cross-entropy-fusion-impl te is turned off in the engine: write native",
    why: "The fused kernel of Transformer Engine was found unstable, and the engine refuses it.",
    fix: "Write --cross-entropy-fusion-impl native.",
    fires: "--cross-entropy-loss-fusion --cross-entropy-fusion-impl te",
    silent: "--cross-entropy-loss-fusion --cross-entropy-fusion-impl native",
  }),
  determinism.ban("deterministic-fusions", {
    about: ["deterministic_mode", "cross_entropy_loss_fusion", "tp_comm_overlap"],
    when: (a) => a.deterministic_mode && (a.cross_entropy_loss_fusion || a.tp_comm_overlap),
    says: "--deterministic-mode cannot be combined with --cross-entropy-loss-fusion or --tp-comm-overlap",
    why: "Both add numbers in an order that differs from run to run: a repeated run gives slightly different results.",
    fix: "Leave --cross-entropy-loss-fusion and --tp-comm-overlap out, or --deterministic-mode.",
    fires: "--deterministic-mode --cross-entropy-loss-fusion",
    silent: "--deterministic-mode",
  }),
  determinism.demand("deterministic-environment", {
    about: ["deterministic_mode"],
    check: (a, { env }) => {
      if (!a.deterministic_mode) return null;
      const chosen = env("NCCL_ALGO");
      const tokens = chosen
        ?.split(",")
        .map((each) => each.trim())
        .filter((each) => each !== "");
      if (tokens !== undefined && (tokens.length === 0 || !tokens.every((each) => algorithms.includes(each))))
        return `--deterministic-mode takes NCCL_ALGO from ${algorithms.join(", ")}, not ${chosen}`;
      for (const [name, accepted] of Object.entries(exact)) {
        const value = env(name);
        if (value !== undefined && !accepted.includes(value))
          return `--deterministic-mode needs ${name}=${accepted.join(" or ")}, not ${value}`;
      }
      const loose = ["MAMBA_DETERMINISTIC", "CAUSAL_CONV1D_DETERMINISTIC"].find((name) => {
        const value = env(name);
        return value !== undefined && value !== "" && !value.startsWith("1");
      });
      return loose === undefined ? null : `--deterministic-mode needs ${loose}=1, or unset`;
    },
    why: "These variables choose algorithms whose sums have a fixed order. If unset, they get such values.",
    fix: "Leave the variable unset, or give it one of the values in the message.",
    fires: "--deterministic-mode NCCL_ALGO=Tree",
    silent: "--deterministic-mode NCCL_ALGO=Ring",
  }),
  settle(["attention_softmax_in_fp32"], (a) => {
    if (a.apply_query_key_layer_scaling) a.attention_softmax_in_fp32 = true;
  }),
];
