/** How a model of Megatron Bridge is divided, and what its kernels fuse. */
import { below } from "../../../engines/release.ts";
import { scalarOf, type Located } from "../../documents/located.ts";
import type { Launch } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import { newestAdmitted } from "../../known/specifiers.ts";
import { base, each } from "./bridge.ts";
import { is, isWhole, part, unless, unsaid, usesMegatronFsdp } from "./settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const queues = "CUDA_DEVICE_MAX_CONNECTIONS";

/** The release from which Bridge asks how many queues there are, and what symmetric buffers are for. */
const asked = "0.5.0";

/** The first release that switches sequence parallelism off by itself where nothing divides the tensors (models/transformer_config.py: finalize). */
const switched = "0.4.0";

/** Does the release refuse it? `null` where the files leave that open. */
function refuses(launch: Launch): boolean | null {
  const own = packagesOf(launch).get("megatron-bridge");
  if (own?.version != null) return below(own.version, switched);
  return own?.specifier !== undefined && newestAdmitted(own.specifier, before) === null ? false : null;
}

const before = ["0.2.0", "0.3.0", "0.3.1"];

/** Said by the model, or by the provider whose default is the plain GELU. */
function isPlainGelu(root: Located): boolean {
  const named = part(root, "model.activation_func._target_") ?? part(root, "model.activation_func");
  if (named !== undefined) return /(?:^|\.)gelu$/.test(String(scalarOf(named)));
  return isWhole(root) && String(scalarOf(part(root, "model._target_"))).endsWith(".GPTModelProvider");
}

export const bridgeParallelRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-sharding",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate (FSDP, process groups)",
    why: "Megatron-FSDP and torch's FSDP2 cannot be combined. Megatron-FSDP has its own order of ranks, overlaps transfers with its kernels, and registers its buffers manually so that NCCL can use them in place. Decentralized process groups have no Gloo groups.",
    fix: `Keep one of use_torch_fsdp2 and use_megatron_fsdp; with Megatron-FSDP leave ${queues} unset or above 1, and set fsdp_manual_registration only with nccl_ub: true; set use_gloo_process_groups to false with decentralized groups.`,
    check: each((root, launch) => {
      const fsdp = ["ddp", "dist"]
        .map((section) => part(root, `${section}.use_megatron_fsdp`))
        .find((node) => scalarOf(node) === true);
      const found: Found[] = [];
      const add = (path: string, message: string): void => {
        const node = part(root, path);
        if (node !== undefined && scalarOf(node) === true)
          found.push({ span: node.span, message, valid: ["false"], ...nearby("Megatron-FSDP", fsdp?.span) });
      };
      if (usesMegatronFsdp(root)) {
        add("dist.use_torch_fsdp2", "use_torch_fsdp2 and use_megatron_fsdp cannot be combined");
        add("dist.use_tp_pp_dp_mapping", "use_tp_pp_dp_mapping cannot be combined with Megatron-FSDP");
        const own = packagesOf(launch).get("megatron-bridge")?.version;
        const isAsked = own == null || !below(own, asked);
        if (isAsked && !is(root, "ddp.megatron_fsdp_version", 2)) {
          const by = { path: "ddp.fsdp_manual_registration", says: "fsdp_manual_registration" };
          if (is(root, by.path, true))
            found.push(...unless(root, by, [["ddp.nccl_ub", true]]), ...unsaid(root, by, "ddp.nccl_ub", "true"));
          for (const { command } of launch.runs) {
            const told = command.env.get(queues);
            if (told !== undefined && told.value === "1")
              found.push({
                span: told.span,
                message: `${queues} is 1: transfers of Megatron-FSDP need a second queue, apart from the kernels`,
                ...nearby("Megatron-FSDP", fsdp?.span),
              });
          }
        }
      }
      if (is(root, "dist.use_decentralized_pg", true))
        add("dist.use_gloo_process_groups", "decentralized process groups cannot use Gloo");
      return found;
    }),
    fires: { "b.yaml": `${base}ddp:\n  use_megatron_fsdp: true\ndist:\n  use_torch_fsdp2: true\n` },
    silent: { "b.yaml": `${base}ddp:\n  use_megatron_fsdp: true\ndist:\n  use_torch_fsdp2: false\n` },
  }),
  rule({
    name: "bridge-sequence-parallel",
    source: "megatron/core/model_parallel_config.py: ModelParallelConfig.__post_init__",
    why: "Sequence parallelism splits the parts that tensor parallelism replicates. Without tensor parallelism, Megatron's own program switches it off, and so do NeMo 1 (files with a `trainer`) and Megatron Bridge from 0.4.0 on. An earlier Bridge builds the configuration as it is written, and Megatron refuses it.",
    fix: "Set tensor_model_parallel_size to 2 or more, or sequence_parallel to false.",
    check: each((root, launch) => {
      const isRefused = refuses(launch);
      const [sequence, tensor] = ["sequence_parallel", "tensor_model_parallel_size"].map((name) =>
        part(root, `model.${name}`),
      );
      const isAlone = tensor === undefined ? isWhole(root) : scalarOf(tensor) === 1;
      if (sequence === undefined || scalarOf(sequence) !== true || !isAlone || part(root, "trainer") !== undefined)
        return [];
      const message = "sequence_parallel needs tensor parallelism";
      return isRefused === false
        ? []
        : [
            {
              span: sequence.span,
              // Whoever installs the newest release is not refused.
              ...(isRefused === null
                ? { severity: "info" as const, message: `${message}, before Megatron Bridge ${switched}` }
                : { message }),
              valid: ["false"],
              ...nearby("the ranks", tensor?.span),
            },
          ];
    }),
    fires: {
      "b.yaml": "model:\n  tensor_model_parallel_size: 1\n  sequence_parallel: true\n",
      "requirements.txt": "megatron-bridge==0.3.1\n",
    },
    silent: {
      "b.yaml": "model:\n  tensor_model_parallel_size: 1\n  sequence_parallel: true\n",
      "requirements.txt": "megatron-bridge==0.4.0\n",
    },
  }),
  rule({
    name: "bridge-activation",
    source:
      "megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (bias_activation_fusion)",
    why: "The fused kernel adds the bias and applies GELU. A layer without biases and without a gate has nothing to fuse; Megatron's own program then switches the kernel off, but Bridge stops.",
    fix: "Set bias_activation_fusion to false, or add_bias_linear to true.",
    check: each((root) => {
      const [fusion, bias, gate] = ["bias_activation_fusion", "add_bias_linear", "gated_linear_unit"].map((name) =>
        part(root, `model.${name}`),
      );
      const isPlain = isPlainGelu(root) && (gate === undefined ? isWhole(root) : scalarOf(gate) === false);
      const isFused = fusion === undefined ? isWhole(root) : scalarOf(fusion) === true;
      if (bias === undefined || scalarOf(bias) !== false || !isPlain || !isFused) return [];
      return [
        {
          span: fusion?.span ?? bias.span,
          message: "bias_activation_fusion with GELU needs biases, but add_bias_linear is false",
          valid: [fusion === undefined ? "true" : "false"],
          ...nearby("no biases", bias.span),
        },
      ];
    }),
    fires: {
      "b.yaml": `${base}  activation_func: torch.nn.functional.gelu\n  bias_activation_fusion: true\n  gated_linear_unit: false\n  add_bias_linear: false\n`,
    },
    silent: {
      "b.yaml": `${base}  activation_func: torch.nn.functional.gelu\n  bias_activation_fusion: false\n  gated_linear_unit: false\n  add_bias_linear: false\n`,
    },
  }),
];
