/** Diagnostics about what is asked of Slurm. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const slurmTime = define<{ why: string }>({
  code: "cdr/slurm-time",
  severity: "error",
  message: ({ why }) => `this time limit cannot be asked for: ${why}`,
  explanation: `\`time\` is how long the job may run before Slurm ends it: \`time = 36 h\`, \`time = 2 d\`. Slurm counts whole minutes and
rounds up. Left out, the partition's own limit holds. A run that may take longer needs \`requeue = true\`: stopped at the limit, it
saves, goes back to the queue and continues.`,
  fix: "Write a limit of at least one minute, `time = 36 h`, or leave it out for the partition's own.",
});

export const slurmShort = define<{ stage: string; estimate: string; limit: string }>({
  code: "cdr/slurm-short",
  severity: "warning",
  message: ({ stage, estimate, limit }) =>
    `stage ${stage} takes about ${estimate}, and its job ends after ${limit}: \`requeue = false\``,
  explanation: `Slurm ends a job at its \`time\`. The run saves before that, and continues only if the job is requeued.`,
  fix: "Write `requeue = true`, or a longer `time`.",
});

export const slurmLead = define<{ lead: number; why: string }>({
  code: "cdr/slurm-lead",
  severity: "error",
  message: ({ lead, why }) => `a lead of ${lead} s ${why}`,
  explanation: `\`lead\` is the time between the signal to save and the end of the job. It holds the slowest step and one save, twice
over; Slurm may send the signal up to a minute early. It is shorter than \`time\`, and Slurm takes at most 65535 s.`,
  fix: "Write a `lead` below `time`, at least twice the slowest step and one save, and at most 65535 s.",
});

export const slurmRequeue = define<{ stage: string; why: string; said: boolean }>({
  code: "cdr/slurm-requeue",
  severity: "error",
  message: ({ stage, why, said }) =>
    said
      ? `\`requeue = true\`, but stage ${stage} ${why}`
      : `a job that fails goes back to the queue (the default of \`requeue\`), but stage ${stage} ${why}`,
  explanation: `A requeued job starts its steps again. That continues where it stopped only if the stage may resume, and repeats little
after the failure of a node only if it saves now and then:

    stage pretrain {
      checkpoint { every = 30 min }
      resume = exact
    }`,
  fix: "Add `checkpoint { every = 30 min }` and `resume = exact` to the stage, or write `requeue = false`.",
});

export const slurmName = define<{ property: string; value: string }>({
  code: "cdr/slurm-name",
  severity: "error",
  message: ({ property, value }) => `${property} = ${JSON.stringify(value)} is not a name that Slurm knows`,
  explanation: `Partitions, accounts, qualities of service and reservations have names of letters, digits and \`_ - . + @ :\`; several
partitions are separated by commas. \`sinfo -o %P\` and \`sacctmgr show assoc user=$USER\` list yours.`,
  fix: "Write a name that `sinfo -o %P` or `sacctmgr show assoc user=$USER` lists.",
});

export const slurmText = define<{ what: string; why: string }>({
  code: "cdr/slurm-text",
  severity: "error",
  message: ({ what, why }) => `${what} ${why}`,
  explanation: `Values go to sbatch one line each. Line breaks and other control characters cannot be passed.`,
  fix: "Write the text on one line, without control characters.",
});

export const slurmDirective = define<{ name: string }>({
  code: "cdr/slurm-directive",
  severity: "error",
  message: ({ name }) => `sbatch has no option \`--${name}\``,
  explanation: `\`raw sbatch { … }\` takes the long options of sbatch, without the dashes in front: \`"mail-type" = "FAIL"\`, \`hold = true\`.`,
  fix: 'Write a long option of sbatch without the dashes: `"mail-type" = "FAIL"`; `sbatch --help` lists them.',
});

export const slurmOwned = define<{ name: string; instead: string }>({
  code: "cdr/slurm-owned",
  severity: "error",
  message: ({ name, instead }) => `\`${name}\` in \`raw sbatch\` contradicts what is derived: ${instead}`,
  explanation: `What the file says elsewhere (nodes, GPUs, the signal, the log, requeueing) is passed to Slurm once, so that the script, the
plan and the run cannot disagree.`,
  fix: "Remove the line from `raw sbatch`, and change what the message names.",
});

export const slurmGpus = define<{ written: string; found: string; gpus: number }>({
  code: "cdr/slurm-gpus",
  severity: "error",
  message: ({ written, found, gpus }) => `${written} asks for ${found} GPUs per node, but the cluster has ${gpus}`,
  explanation: `\`raw sbatch\` may say how a site names its GPUs (\`gres = "gpu:h100:8"\`); their number is the cluster's.`,
  fix: "Write the cluster's number, or change `gpus` of the cluster's node.",
});

export const slurmNode = define<{ property: string; asked: string; has: string }>({
  code: "cdr/slurm-node",
  severity: "error",
  message: ({ property, asked, has }) => `${property} = ${asked} is more than a node of the cluster has, ${has}`,
  explanation: `\`cpus\` and \`memory\` are per node. Slurm counts hardware threads where a site says so, of which a core has two; \`memory = 0\` asks
for all that a node has.`,
  fix: "Ask for at most what a node has; `memory = 0` asks for all.",
});
