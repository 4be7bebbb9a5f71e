/** Jobs that are warned, stopped and started again. */
import { existsBeside } from "../beside.ts";
import type { Launch, Run } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const array = "#!/bin/bash\n#SBATCH --array=0-9\n#SBATCH --signal=B:USR1@300\n";
const warned = (signal: string): string =>
  `#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --signal=${signal}\n#SBATCH --requeue\n`;
const trainer = "srun torchrun --nproc-per-node=8 train.py --resume auto\n";

/** `B:USR1@300`: which signal, to whom, and how many seconds before the end. */
function signalOf(
  told: Told | undefined,
): { readonly name: string; readonly shell: boolean; readonly lead: number } | null {
  const parts = /^(?:([RB]+):)?(\w+)(?:@(\d+))?$/.exec(String(told?.value ?? ""));
  if (parts === null || told === undefined) return null;
  return {
    name: (parts[2] ?? "").replace(/^SIG/, ""),
    shell: parts[1]?.includes("B") === true,
    lead: Number(parts[3] ?? 60),
  };
}

export const jobRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-array-requeue",
    source: "scontrol(1): requeue; sbatch(1): SLURM_ARRAY_JOB_ID, SLURM_ARRAY_TASK_ID",
    why: "Each task of an array has its own job id, except one, whose id is that of the whole array: there, requeueing `$SLURM_JOB_ID` restarts every task, and `$SLURM_ARRAY_JOB_ID` always does.",
    fix: "Write scontrol requeue ${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}.",
    check: ({ scripts }) =>
      scripts.flatMap(({ source, directives }): readonly Found[] => {
        const told = directives.get("array");
        if (told === undefined) return [];
        const pattern = /scontrol\s+requeue\s+["']?\$\{?(SLURM_JOB_?ID|SLURM_ARRAY_JOB_ID)\}?(?![\w}]|["']?_)/g;
        return [...source.text.matchAll(pattern)].map(({ 0: text, 1: name, index }) => ({
          span: { source, start: index, end: index + text.length },
          message: `$${name} means the whole array in one of its tasks or in all: requeue the task`,
          valid: ["${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"],
          ...nearby("the array", told.span),
        }));
      }),
    fires: { "job.sbatch": `${array}trap 'scontrol requeue $SLURM_JOB_ID' USR1\nsrun python train.py &\nwait\n` },
    silent: {
      "job.sbatch": `${array}trap 'scontrol requeue \${SLURM_ARRAY_JOB_ID}_\${SLURM_ARRAY_TASK_ID}' USR1\nsrun python train.py &\nwait\n`,
    },
  }),
  rule({
    name: "slurm-signal-lead",
    severity: "info",
    source: "sbatch(1): --signal, sent up to a minute earlier than said; stas00/ml-engineering: fault tolerance",
    why: "Between the signal and the end of the job the run must finish its step and save. These files do not say how long that takes; a lead of twice the sum is a good rule, and few large runs can do with less than five minutes. A job that is killed while it saves leaves half a checkpoint.",
    fix: "Raise the seconds after @ to twice the time of a step and a save, usually 300 or more: #SBATCH --signal=B:USR1@300.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives }): readonly Found[] => {
        const told = directives.get("signal");
        const signal = signalOf(told);
        if (told === undefined || signal === null || signal.lead >= 300) return [];
        return [
          {
            span: told.span,
            message: `${signal.lead} seconds for a step and a save: how long these take is unknown; allow twice their sum`,
          },
        ];
      }),
    fires: { "job.sbatch": `${warned("B:USR1@60")}trap 'kill -USR1 $PID' USR1\n${trainer}` },
    silent: { "job.sbatch": `${warned("B:USR1@600")}trap 'kill -USR1 $PID' USR1\n${trainer}` },
  }),
  rule({
    name: "slurm-signal-shared",
    severity: "warning",
    source:
      "torch/distributed/run.py: signals_to_handle; submitit/core/job_environment.py: USR2; lightning: SLURM auto-requeue (USR1); signal(7): Term",
    why: "Without `B:` the signal goes to the processes of every step. USR1 and USR2 end a process that does not handle them, and libraries use both: submitit USR2, Lightning USR1, profilers either. torchrun passes on only what `--signals-to-handle` lists.",
    fix: "Send it to the batch script, #SBATCH --signal=B:USR1@300, and let its trap notify the program; or handle the signal in the program and give torchrun --signals-to-handle.",
    check: ({ runs, documents }) => {
      const jobs = runs.flatMap(({ script, launcher }): readonly Found[] => {
        const told = script.directives.get("signal");
        const signal = signalOf(told);
        const handled = String(toldIn(launcher.settings, "signals_to_handle")?.value ?? "");
        if (told === undefined || signal === null || signal.shell || !/^USR[12]$/.test(signal.name)) return [];
        if (!["torchrun", "accelerate", "deepspeed"].includes(launcher.kind) || handled.includes(signal.name))
          return [];
        const name =
          launcher.word.text
            ?.split("/")
            .at(-1)
            ?.replace(/^python[\d.]*$/, launcher.kind) ?? launcher.kind;
        return [
          {
            span: told.span,
            message: `${signal.name} goes to every process of the steps, and ends ${name}, which does not handle it`,
            valid: [`B:${signal.name}@${signal.lead}`],
            ...nearby("the launcher", launcher.word.span),
          },
        ];
      });
      const exported = runs.flatMap(({ command }): readonly Found[] => {
        const told = command.env.get("SUBMITIT_PREEMPT_SIGNAL");
        return told === undefined || !/USR[12]/.test(told.value ?? "")
          ? []
          : [{ span: told.span, message: `other libraries in the same process also use ${told.value}` }];
      });
      const files = documents
        .filter(({ kind }) => kind === "submitit")
        .flatMap(({ root }): readonly Found[] => {
          const node = at(root, "signal") ?? at(root, "additional_parameters", "signal");
          return node === undefined || !/USR[12]/.test(String(scalarOf(node)))
            ? []
            : [
                {
                  span: node.span,
                  message: `other libraries in the same process also use ${String(scalarOf(node))}: set which one handles it`,
                },
              ];
        });
      return [...jobs, ...exported, ...files];
    },
    fires: { "job.sbatch": `${warned("USR1@600")}${trainer}` },
    silent: { "job.sbatch": `${warned("B:USR1@600")}trap 'kill -TERM $PID' USR1\n${trainer}` },
  }),
  rule({
    name: "pyxis-unknown",
    severity: "info",
    source: "pyxis README: a SPANK plugin that plugstack.conf of every node lists",
    why: "`--container-image` belongs to a plugin, pyxis, that must be installed on the login node and on every compute node. Without it `srun` refuses the option, perhaps only on some nodes.",
    fix: "Run srun --help | grep container-image on a node of the partition; if it prints nothing, start the container with apptainer or enroot.",
    check: ({ runs }) =>
      runs.slice(0, 1).flatMap(({ step, script }): readonly Found[] => {
        const told = step?.settings.get("container_image") ?? script.directives.get("container_image");
        if (told === undefined) return [];
        return [
          {
            span: told.nameSpan,
            message: "whether every node of the partition has pyxis, to which this option belongs, is unknown",
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\nsrun --container-image=./a.sqsh python train.py\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\nsrun python train.py\n" },
  }),
  rule({
    name: "program-missing",
    severity: "info",
    source:
      "python(1): can't open file; accelerate/commands/config/config_args.py: load_config_from_file; torchx/schedulers: nothing looks at the path before the job starts",
    why: "A missing program or accelerate configuration ends the job only when it starts, perhaps hours after it was submitted. The path is relative to the folder in which the job is submitted, or to the one that the script changes to.",
    fix: "Correct the path, or submit the job from the folder that it is relative to.",
    check: (launch) => launch.runs.flatMap((run) => missing(run, launch)),
    fires: { "run.sh": "torchrun --nproc-per-node=8 trian.py\n", "src/train.py": "" },
    silent: { "run.sh": "torchrun --nproc-per-node=8 src/train.py\n", "src/train.py": "" },
  }),
];

function missing(run: Run, { submitted: beside }: Launch): readonly Found[] {
  const { program, command, docker, script, launcher } = run;
  const config = launcher.kind === "accelerate" ? launcher.settings.get("config_file") : undefined;
  const needed = [
    ...(program?.text?.endsWith(".py") === true ? [{ path: program.text, span: program.span }] : []),
    ...(typeof config?.value === "string" ? [{ path: config.value, span: config.span }] : []),
  ].filter(({ path }) => !/^[/~]|[$*{}]/.test(path));
  if (needed.length === 0 || docker !== null || command.folder.from !== null) return [];
  // The folder of a container is not this one.
  if (script.pods !== null) return [];
  if (command.env.has("PWD") || run.step?.settings.has("container_image") === true || script.directives.has("chdir"))
    return [];
  // Elsewhere than here nobody can look.
  if (/(?:^|[;&|\s])(?:cd|pushd|git\s+clone)\s/m.test(script.source.text)) return [];
  if (beside.names(".", script.source) === undefined) return [];
  return needed
    .filter(({ path }) => existsBeside(beside, path, script.source) === false)
    .map(({ path, span }) => ({ span, message: `there is no ${path} here` }));
}
