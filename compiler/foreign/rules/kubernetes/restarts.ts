/** Pods that are started again, and a program that has nothing to go on from. */
import { restartsOf } from "../../kubernetes/restarts.ts";
import { documentsOf } from "../../launch.ts";
import { isMegatron } from "../../megatron.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const sizes =
  "--tensor-model-parallel-size, '1', --num-layers, '4', --hidden-size, '512', --num-attention-heads, '8', --seq-length, '128', --max-position-embeddings, '128', --micro-batch-size, '1', --train-iters, '10', --lr, '1e-4', --vocab-size, '1000', --tokenizer-type, NullTokenizer";
const job = (policy: string, more: string): string =>
  `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\nspec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      restartPolicy: ${policy}\n      template:\n        spec:\n          containers:\n            - name: pytorch\n              image: i\n              command: [torchrun, --nproc-per-node=1, pretrain_gpt.py, ${sizes}, --data-path, d${more}]\n`;

export const kubernetesRestartRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-restart-anew",
    severity: "warning",
    source:
      "training-operator pkg/apis/kubeflow.org/v1/pytorch_defaults.go: restartPolicy; batch/v1 JobSpec.backoffLimit; megatron/training/checkpointing.py: load_checkpoint (args.load)",
    why: "Kubernetes restarts the pods of a job after a failure. Megatron resumes only with `--load`: without it each start begins at the first step, and overwrites the earlier checkpoints.",
    fix: "Give --load the folder of --save; or let a failure end the job: restartPolicy: Never, backoffLimit: 0.",
    ofAll: true,
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root, source }): readonly Found[] => {
        const restarts = restartsOf(root);
        if (restarts === null || restarts.most === 0) return [];
        const { start, end } = root.span;
        const run = launch.runs.find(
          ({ script, launcher: { word } }) =>
            script.source === source && word.span.start >= start && word.span.start < end,
        );
        if (run === undefined || run.open || !isMegatron(run)) return [];
        if (["load", "mock_data"].some((name) => run.options.has(name))) return [];
        const often = restarts.most === null ? "after a failure" : `up to ${restarts.most} times after a failure`;
        return [
          {
            span: (run.program ?? run.launcher.word).span,
            message: `the pods start this again ${often}, but without --load it begins at its first step each time`,
            ...nearby("what starts them again", restarts.span ?? undefined),
          },
        ];
      }),
    fires: { "job.yaml": job("OnFailure", "") },
    silent: { "job.yaml": job("OnFailure", ", --save, /ckpt, --load, /ckpt"), "once.yaml": job("Never", "") },
  }),
];
