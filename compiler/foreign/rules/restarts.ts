/** Runs that are started again and have nothing to go on from. */
import { documentsOf } from "../launch.ts";
import { entryOf, numberAt, scalarOf } from "../documents/located.ts";
import { switchIn, toldIn } from "../settings.ts";
import { nearby, rule, type ForeignRule } from "./rule.ts";

const again = (more: string): string =>
  `#!/bin/bash\n#SBATCH --requeue\n#SBATCH --output=log-%j.txt\n#SBATCH --open-mode=append\nsrun torchrun --nproc-per-node=8 run_clm.py --model_name_or_path m --do_train --output_dir out ${more}--save_steps 100\n`;

export const restartRules: readonly ForeignRule[] = [
  rule({
    name: "submitit-timeouts",
    severity: "warning",
    source:
      "submitit/slurm/slurm.py: max_num_timeout; hydra_plugins/hydra_submitit_launcher/config.py: SlurmQueueConf",
    why: "submitit requeues a job that reached its time limit at most `max_num_timeout` times, 0 in hydra's launcher: the run ends at the first limit.",
    fix: "Set max_num_timeout to the number of times that the run may be requeued.",
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
    name: "resume-overwritten",
    severity: "warning",
    source:
      "llamafactory/hparams/parser.py: get_train_args; transformers examples, run_clm.py: get_last_checkpoint (unless overwrite_output_dir)",
    why: "A requeued job continues from the last checkpoint in its output_dir, but only if overwrite_output_dir is off: with it each start begins at step 0 and overwrites the earlier checkpoints.",
    fix: "Set overwrite_output_dir to false, or name the checkpoint in resume_from_checkpoint.",
    check: ({ trainer, runs, scripts }) => {
      const told = trainer === null ? undefined : toldIn(trainer, "overwrite_output_dir");
      const again = scripts.map(({ directives }) => directives.get("requeue")).find((each) => each !== undefined);
      if (trainer === null || told === undefined || switchIn(trainer, "overwrite_output_dir") !== true) return [];
      if (again === undefined || toldIn(trainer, "resume_from_checkpoint") !== undefined) return [];
      const finds =
        trainer.has("finetuning_type") || runs.some((run) => /(?:^|\/)run_\w+\.py$/.test(run.program?.text ?? ""));
      if (!finds) return [];
      return [
        {
          span: told.nameSpan,
          message: "a requeued job starts over: with overwrite_output_dir it does not look for its checkpoints",
          ...nearby("requeued here", again.nameSpan),
        },
      ];
    },
    fires: { "job.sbatch": again("--overwrite_output_dir ") },
    silent: { "job.sbatch": again("") },
  }),
  rule({
    name: "resume-file-unsaved",
    source: "fairseq/checkpoint_utils.py: save_checkpoint (no_last_checkpoints)",
    why: "A run that keeps only the checkpoints of its intervals writes no `checkpoint_last`, from which it would resume: after an interruption it starts over.",
    fix: "Remove no_last_checkpoints, or restore from a file that is written.",
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
