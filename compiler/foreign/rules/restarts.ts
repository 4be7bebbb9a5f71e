/** Runs that are started again and have nothing to go on from. */
import { documentsOf } from "../launch.ts";
import { entryOf, numberAt, scalarOf } from "../located.ts";
import { toldIn } from "../settings.ts";
import { nearby, rule, type ForeignRule } from "./rule.ts";

export const restartRules: readonly ForeignRule[] = [
  rule({
    name: "submitit-timeouts",
    severity: "warning",
    source:
      "submitit/slurm/slurm.py: max_num_timeout; hydra_plugins/hydra_submitit_launcher/config.py: SlurmQueueConf",
    why: "submitit requeues a job that ran into its time limit `max_num_timeout` times, in hydra's launcher none: the run ends at the first limit.",
    fix: "Set max_num_timeout to how often the run may be requeued.",
    check: (launch) =>
      documentsOf(launch, "submitit").flatMap(({ root }) => {
        const count = entryOf(root, "max_num_timeout");
        const limit = entryOf(root, "timeout_min");
        if (count !== undefined && (numberAt(count.value) ?? 2) > 1) return [];
        const place = count?.value.span ?? limit?.keySpan;
        return place === undefined
          ? []
          : [
              {
                span: place,
                message: `the job is requeued ${count === undefined ? "not at all (the default)" : `${String(scalarOf(count.value))} times`} after its time limit`,
              },
            ];
      }),
    fires: { "launcher.yaml": "timeout_min: 60\nnodes: 2\ngpus_per_node: 8\ntasks_per_node: 8\n" },
    silent: {
      "launcher.yaml": "timeout_min: 60\nnodes: 2\ngpus_per_node: 8\ntasks_per_node: 8\nmax_num_timeout: 20\n",
    },
  }),
  rule({
    name: "resume-file-unsaved",
    source: "fairseq/checkpoint_utils.py: save_checkpoint (no_last_checkpoints)",
    why: "A run that keeps only the checkpoints of its intervals writes no `checkpoint_last`, from which it would resume: after an interruption it starts anew.",
    fix: "Leave no_last_checkpoints out, or restore from a file that is written.",
    check: ({ runs }) =>
      runs.flatMap(({ options }) => {
        const none = toldIn(options, "no_last_checkpoints", "no_save_last");
        const from = toldIn(options, "restore_file", "resume_from", "load_checkpoint");
        if (none === undefined || (from !== undefined && !/last/.test(String(from.value)))) return [];
        return [
          {
            span: none.nameSpan,
            message: "nothing writes checkpoint_last, which a restart loads",
            ...nearby("loaded here", from?.span),
          },
        ];
      }),
    fires: {
      "run.sh":
        "torchrun --nproc-per-node=8 train.py --save-interval-updates 1000 --no-last-checkpoints --restore-file checkpoint_last.pt\n",
    },
    silent: {
      "run.sh":
        "torchrun --nproc-per-node=8 train.py --save-interval-updates 1000 --restore-file checkpoint_last.pt\n",
    },
  }),
];
