/** Diagnostics about requests to Slurm. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const slurmTime = define<{ why: string }>({
  code: "cdr/slurm-time",
  severity: "error",
  message: ({ why }) => `invalid time limit: ${why}`,
  explanation: `\`time\` is how long the job may run before Slurm ends it: \`time = 36 h\`, \`time = 2 d\`. Slurm rounds it up to whole
minutes; the default is the limit of the partition. A run that may take longer needs \`requeue = true\`: at the limit, it
saves, goes back to the queue and continues.`,
  fix: "Write a limit of at least one minute, `time = 36 h`, or remove it to get the limit of the partition.",
});

export const slurmShort = define<{ stage: string; estimate: string; limit: string }>({
  code: "cdr/slurm-short",
  severity: "warning",
  message: ({ stage, estimate, limit }) =>
    `stage ${stage} takes about ${estimate}, but its job ends after ${limit} and \`requeue = false\``,
  explanation: `Slurm ends a job at its \`time\`. The run saves before that, but continues only if the job is requeued.`,
  fix: "Write `requeue = true`, or a longer `time`.",
});

export const slurmRestarts = define<{
  stage: string;
  estimate: string;
  limit: string;
  start: string;
  lead: string;
  step: string;
  /** `null` where no job finishes a step. */
  jobs: number | null;
}>({
  code: "cdr/slurm-restarts",
  severity: "warning",
  message: ({ stage, estimate, limit, start, lead, step, jobs }) =>
    jobs === null
      ? `no job of stage ${stage} finishes a step: of its ${limit}, ${start} go to the start and ${lead} to \`lead\`, and a step takes ${step}`
      : `stage ${stage} takes about ${estimate}, ${jobs} jobs of ${limit}, each of which starts for ${start} and stops ${lead} before its end`,
  explanation: `With \`requeue = true\` a run longer than \`time\` takes several jobs. Each waits in the queue, starts its processes, reads the last
checkpoint, and stops \`lead\` before its end to save. An error where a job ends before its first step, a warning where starts
take a tenth of the work or more, and a remark on more than ten jobs of less than an hour.`,
  fix: "Write a longer `time`: `time = 24 h`.",
});

export const slurmMemory = define<{ stage: string; asked: string; need: string }>({
  code: "cdr/slurm-node-memory",
  severity: "error",
  message: ({ stage, asked, need }) =>
    `\`memory\` gives a node ${asked}, but the processes of stage ${stage} take about ${need} of it`,
  explanation: `Slurm ends a job whose processes take more memory of a node than it asked for. Each process takes a few GiB even without a
model, and what is offloaded comes on top.`,
  fix: "Ask for more, or for all that a node has: `memory = 0 GB`.",
});

export const slurmLead = define<{ lead: number; why: string }>({
  code: "cdr/slurm-lead",
  severity: "error",
  message: ({ lead, why }) => `a lead of ${lead} s ${why}`,
  explanation: `\`lead\` is the time between the signal to save and the end of the job. It should be twice the slowest step and one
save; Slurm may send the signal up to a minute early. It must be shorter than \`time\`, and Slurm accepts at most 65535 s.`,
  fix: "Write a `lead` below `time`, at least twice the slowest step and one save, and at most 65535 s.",
});

export const slurmRequeue = define<{ stage: string; why: string; said: boolean }>({
  code: "cdr/slurm-requeue",
  severity: "error",
  message: ({ stage, why, said }) =>
    said
      ? `\`requeue = true\`, but stage ${stage} ${why}`
      : `a job that fails goes back to the queue (the default of \`requeue\`), but stage ${stage} ${why}`,
  explanation: `A requeued job starts its steps again. It continues where it stopped only if the stage may resume, and loses little work
after the failure of a node only if it saves regularly:

    stage pretrain {
      checkpoint { every = 30 min }
      resume = exact
    }`,
  fix: "Add `checkpoint { every = 30 min }` and `resume = exact` to the stage, or write `requeue = false`.",
});

export const slurmName = define<{ property: string; value: string }>({
  code: "cdr/slurm-name",
  severity: "error",
  message: ({ property, value }) => `${property} = ${JSON.stringify(value)} is not a valid name in Slurm`,
  explanation: `Names of partitions, accounts, qualities of service and reservations consist of letters, digits and \`_ - . + @ :\`; several
partitions are separated by commas.`,
  fix: "Write a name that `sinfo -o %P` or `sacctmgr show assoc user=$USER` lists.",
});

export const slurmText = define<{ what: string; why: string }>({
  code: "cdr/slurm-text",
  severity: "error",
  message: ({ what, why }) => `${what} ${why}`,
  explanation: `Each value is passed to sbatch on one line, without line breaks or other control characters.`,
  fix: "Write the text on one line, without control characters.",
});

export const slurmDirective = define<{ name: string }>({
  code: "cdr/slurm-directive",
  severity: "error",
  message: ({ name }) => `sbatch has no option \`--${name}\``,
  explanation: `\`raw sbatch { … }\` takes the long options of sbatch without their dashes, such as \`hold = true\`.`,
  fix: 'Write a long option of sbatch without the dashes: `"mail-type" = "FAIL"`; `sbatch --help` lists them.',
});

export const slurmOwned = define<{ name: string; instead: string }>({
  code: "cdr/slurm-owned",
  severity: "error",
  message: ({ name, instead }) => `\`${name}\` in \`raw sbatch\` conflicts with a derived option: ${instead}`,
  explanation: `Options that follow from the rest of the file (nodes, GPUs, the signal, the log, requeueing) cannot be set again, so that the
script, the plan and the run agree.`,
  fix: "Remove the line from `raw sbatch`, and change the property that the message names.",
});

export const slurmGpus = define<{ written: string; found: string; gpus: number }>({
  code: "cdr/slurm-gpus",
  severity: "error",
  message: ({ written, found, gpus }) => `${written} asks for ${found} GPUs per node, but the cluster has ${gpus}`,
  explanation: `\`raw sbatch\` may give a site's name for its GPUs (\`gres = "gpu:h100:8"\`), but their number must be the cluster's.`,
  fix: "Write the number of the cluster, or change `gpus` of the cluster's node.",
});

export const slurmNode = define<{ property: string; asked: string; has: string }>({
  code: "cdr/slurm-node",
  severity: "error",
  message: ({ property, asked, has }) => `${property} = ${asked} exceeds a node of the cluster, which has ${has}`,
  explanation: `\`cpus\` and \`memory\` are per node. Some sites configure Slurm to count hardware threads, of which a core has two.`,
  fix: "Request at most what a node has; `memory = 0` requests all of it.",
});
