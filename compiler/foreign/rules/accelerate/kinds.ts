/** What the file of accelerate takes for the kind of a launch. */
import { documentsOf } from "../../launch.ts";
import { at, scalarOf } from "../../documents/located.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

/** Source: accelerate 1.15, utils/dataclasses.py: DistributedType, ComputeEnvironment. */
const kinds =
  "NO MULTI_CPU MULTI_GPU MULTI_NPU MULTI_MLU MULTI_SDAA MULTI_MUSA MULTI_XPU DEEPSPEED FSDP XLA MEGATRON_LM MULTI_HPU MULTI_NEURON".split(
    " ",
  );
const places = ["LOCAL_MACHINE", "AMAZON_SAGEMAKER"];

/** Kinds of earlier releases. */
const earlier: ReadonlySet<string> = new Set(["TPU", "TP"]);

const base = "compute_environment: LOCAL_MACHINE\nnum_processes: 8\n";

export const accelerateKindRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-kind",
    source:
      "accelerate/commands/config/config_args.py: BaseConfig.__post_init__; utils/dataclasses.py: DistributedType",
    why: "`distributed_type` and `compute_environment` are each one of a fixed list of words in capitals. accelerate stops at any other before it starts a process.",
    fix: "Write a word from `valid`; for one GPU, distributed_type: 'NO'.",
    check: (launch) =>
      documentsOf(launch, "accelerate").flatMap(({ root }): readonly Found[] => {
        const place = at(root, "compute_environment");
        if (scalarOf(place) === "AMAZON_SAGEMAKER") return [];
        return [
          { name: "distributed_type", node: at(root, "distributed_type"), valid: kinds },
          { name: "compute_environment", node: place, valid: places },
        ].flatMap(({ name, node, valid }): readonly Found[] => {
          const word = scalarOf(node);
          if (node === undefined || typeof word !== "string" || valid.includes(word) || earlier.has(word)) return [];
          if (word === "" || /[{$]/.test(word)) return [];
          return [{ span: node.span, message: `${name} takes no ${word}`, valid }];
        });
      }),
    fires: { "acc.yaml": `${base}distributed_type: multi_gpu\n` },
    silent: { "acc.yaml": `${base}distributed_type: MULTI_GPU\n` },
  }),
];
