/** Versions that do not go together, as far as files say which are installed. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, entryOf, scalarOf, type Located } from "../documents/located.ts";
import { below } from "../../engines/release.ts";
import { packagesOf } from "../known/packages.ts";
import { given, saidIn } from "../said.ts";
import { numberIn, switchIn, toldIn } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const offload =
  '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } } }';
const train = "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n";
const controller = (name: string, image: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\nspec:\n  template:\n    spec:\n      containers:\n        - name: manager\n          image: ${image}\n`;

export const versionRules: readonly ForeignRule[] = [
  rule({
    name: "context-attention-version",
    severity: "warning",
    source: "TransformerEngine issue 1467: the shape of softmax_lse changed with flash-attn 2.6.2",
    why: "Context parallelism in Transformer Engine 1 reads a value of flash-attn whose shape changed after 2.6.1: the first step fails.",
    fix: "Pin flash-attn==2.6.1, or use Transformer Engine 2.",
    check: (launch) => {
      const packages = packagesOf(launch);
      const [flash, engine] = [packages.get("flash-attn"), packages.get("transformer-engine")];
      const size = numberIn(saidIn(launch), "context_parallel_size") ?? 1;
      if (size < 2 || flash?.version == null || engine?.version == null) return [];
      if (!below("2.6.1", flash.version) || !below(engine.version, "2.0")) return [];
      return [
        {
          span: flash.span,
          message: `flash-attn ${flash.version} and Transformer Engine ${engine.version} cannot be combined with context parallelism`,
          valid: ["2.6.1"],
          ...nearby("Transformer Engine", engine.span),
        },
      ];
    },
    fires: {
      "run.sh":
        "pip install flash-attn==2.7.0 transformer-engine==1.11.0\ntorchrun --nproc-per-node=8 pretrain_gpt.py --context-parallel-size 2\n",
    },
    silent: {
      "run.sh":
        "pip install flash-attn==2.6.1 transformer-engine==1.11.0\ntorchrun --nproc-per-node=8 pretrain_gpt.py --context-parallel-size 2\n",
    },
  }),
  rule({
    name: "offload-toolkit",
    severity: "warning",
    source: "deepspeed/ops/op_builder/builder.py: assert_no_cuda_mismatch, installed_cuda_version",
    why:
      "DeepSpeed compiles its CPU Adam when it is first used, with the CUDA toolkit of the node, which must be the version that torch was built for (`torch.version.cuda`; another minor version of 11 or 12 is accepted). " +
      "`ds_report` on a node shows both.",
    fix: "Load the CUDA toolkit of torch.version.cuda (module load cuda/…), use an image that has it, or set zero_force_ds_cpu_optimizer to false.",
    check: (launch) => {
      const device = documentsOf(launch, "deepspeed")
        .map(({ root }) => at(root, "zero_optimization", "offload_optimizer", "device"))
        .find((node) => scalarOf(node) === "cpu");
      const forced = documentsOf(launch, "deepspeed").every(
        ({ root }) => scalarOf(at(root, "zero_force_ds_cpu_optimizer")) !== false,
      );
      if (device === undefined || !forced) return [];
      const packages = packagesOf(launch);
      const torch = packages.get("torch-cuda");
      const toolkit = toolkitOf(launch) ?? packages.get("cuda-toolkit");
      if (toolkit?.version == null || torch?.version == null)
        return [
          {
            span: device.span,
            severity: "info" as const,
            message: `offloading builds an operator at the start, and the CUDA toolkit of the node ${toolkit?.version == null ? "is unknown" : `(${toolkit.version}) may not match torch, whose CUDA version is unknown`}: it must be the one that torch was built for`,
          },
        ];
      if (major(toolkit.version) === major(torch.version)) return [];
      return [
        {
          span: toolkit.span,
          severity: "error" as const,
          message: `offloading builds an operator with CUDA ${toolkit.version}, but torch was built for ${torch.version}`,
          valid: [torch.version],
          related: [
            { message: "torch", span: torch.span },
            { message: "offloading", span: device.span },
          ],
        },
      ];
    },
    fires: { "ds.json": offload, "run.sh": `module load cuda/11.7\npip install torch==2.1.0+cu121\n${train}` },
    silent: { "ds.json": offload, "run.sh": `module load cuda/12.1\npip install torch==2.1.0+cu121\n${train}` },
  }),
  rule({
    name: "adapter-version",
    severity: "info",
    source: "peft/tuners/tuners_utils.py: autocast_adapter_dtype; torch/amp/grad_scaler.py: _unscale_grads_",
    why: "The precision of adapters depends on the version of PEFT: newer ones make them float32, some older ones give them the precision of the weights, and fp16 mixed precision cannot train adapters in fp16 (`Attempting to unscale FP16 gradients`).",
    fix: "Pin a version of peft that you have tested, or train in bf16.",
    check: (launch) => {
      const said = saidIn(launch);
      const adapter = given(
        said,
        "use_lora",
        "use_peft",
        "lora_r",
        "lora_rank",
        "lora_target",
        "adapter",
        "peft_type",
      );
      const half = switchIn(said, "fp16") === true ? toldIn(said, "fp16") : undefined;
      const told = packagesOf(launch).get("peft");
      if (adapter === undefined || half === undefined) return [];
      if (told?.version != null && !below(told.version, "0.12")) return [];
      const version = told?.version == null ? "any version of PEFT" : `PEFT ${told.version}`;
      return [
        {
          span: told?.span ?? half.span,
          message: `fp16 training of adapters with ${version}: whether they are float32 depends on the version`,
          valid: ["peft==0.12.0"],
          ...nearby("fp16", half.nameSpan),
        },
      ];
    },
    fires: {
      "run.sh":
        "pip install peft\ntorchrun --nproc-per-node=2 train.py --fp16 True --lora_r 8 --per_device_train_batch_size 1\n",
    },
    silent: {
      "run.sh":
        "pip install peft==0.14.0\ntorchrun --nproc-per-node=2 train.py --fp16 True --lora_r 8 --per_device_train_batch_size 1\n",
    },
  }),
  rule({
    name: "kueue-trainer-version",
    source:
      "kueue 0.17: TrainJob integration (runtimePatches); kubeflow trainer 2.2: spec.runtimePatches instead of podTemplateOverrides",
    why: "From 0.17 on Kueue admits a TrainJob by writing `runtimePatches`, which Kubeflow Trainer supports from 2.2 on: with an older Trainer the job is admitted but never starts.",
    fix: "Use Kubeflow Trainer 2.2 or later, or Kueue 0.16.",
    check: (launch) => {
      const packages = packagesOf(launch);
      const [kueue, trainer] = [packages.get("kueue"), packages.get("trainer-controller-manager")];
      if (kueue?.version != null && trainer?.version != null)
        return below(kueue.version, "0.17") || !below(trainer.version, "2.2")
          ? []
          : [
              {
                span: trainer.span,
                message: `Kueue ${kueue.version} writes runtimePatches, but Trainer ${trainer.version} does not support them: admitted jobs never start`,
                valid: ["v2.2.0"],
                ...nearby("Kueue", kueue.span),
              },
            ];
      return documentsOf(launch, "kubernetes").flatMap(({ root }): readonly Found[] => {
        const queue = entryOf(at(root, "metadata", "labels"), "kueue.x-k8s.io/queue-name");
        if (scalarOf(at(root, "kind")) !== "TrainJob" || queue === undefined) return [];
        return [
          {
            span: queue.keySpan,
            severity: "info" as const,
            message: "the versions of Kueue and Trainer are unknown: Kueue 0.17 needs Trainer 2.2",
          },
        ];
      });
    },
    fires: {
      "kueue.yaml": controller("kueue", "registry.k8s.io/kueue/kueue:v0.17.3"),
      "trainer.yaml": controller("trainer", "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.1.0"),
    },
    silent: {
      "kueue.yaml": controller("kueue", "registry.k8s.io/kueue/kueue:v0.16.1"),
      "trainer.yaml": controller("trainer", "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.1.0"),
    },
  }),
];

const major = (version: string): string => version.split(".")[0] ?? "";

/** The toolkit that a script loads as a module, or sets as CUDA_HOME. */
function toolkitOf({ scripts }: Launch): { readonly version: string; readonly span: Located["span"] } | null {
  for (const { source, commands } of scripts) {
    const loaded = /^[ \t]*(?:module|ml)\s[^\n#]*?\b(cuda(?:toolkit)?[/-]v?(\d+\.\d+)[\w.-]*)/im.exec(source.text);
    if (loaded !== null) {
      const start = loaded.index + loaded[0].length - (loaded[1] ?? "").length;
      return { version: loaded[2] ?? "", span: { source, start, end: start + (loaded[1] ?? "").length } };
    }
    for (const { env } of commands) {
      const home = env.get("CUDA_HOME");
      const version = /cuda[-/_]?v?(\d+\.\d+)/.exec(home?.value ?? "")?.[1];
      if (home !== undefined && version !== undefined) return { version, span: home.span };
    }
  }
  return null;
}
