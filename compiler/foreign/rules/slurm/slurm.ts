/** What a batch script says to Slurm. */
import { numberIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule } from "../rule.ts";
import { inTable } from "../../../../dsl/in-table.ts";

const needs: Readonly<Record<string, string>> = {
  SLURM_GPUS_PER_NODE: "gpus_per_node",
  SLURM_NTASKS_PER_NODE: "ntasks_per_node",
  SLURM_CPUS_PER_TASK: "cpus_per_task",
  SLURM_GPUS_PER_TASK: "gpus_per_task",
};

export const slurmRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-tasks",
    source: "srun(1): a step takes tasks from its allocation",
    why: "A step cannot have more tasks than its job: `More processors requested than permitted`.",
    fix: "Raise --ntasks (or --ntasks-per-node) in the directives, and leave -n out of the srun line.",
    check: ({ runs }) =>
      runs.flatMap(({ step, script }) => {
        const asked = step?.settings.get("ntasks");
        const given = script.directives.get("ntasks");
        const nodes = numberIn(script.directives, "nodes") ?? 1;
        const perNode = numberIn(script.directives, "ntasks_per_node");
        const has = given === undefined ? (perNode === null ? null : nodes * perNode) : Number(given.value);
        const wants = Number(asked?.value);
        if (asked === undefined || has === null || !(wants > has)) return [];
        return [
          {
            span: asked.span,
            message: `srun requests ${wants} tasks, but the job has ${has}`,
            valid: [String(has)],
            ...nearby("the job's tasks", (given ?? script.directives.get("ntasks_per_node"))?.span),
          },
        ];
      }),
    fires: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=48\nsrun -n 16 python train.py\n",
    },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --ntasks=16\nsrun -n 16 python train.py\n" },
  }),
  rule({
    name: "slurm-cpus-inherited",
    severity: "warning",
    source: "Slurm 22.05 release notes: srun no longer inherits --cpus-per-task",
    why: "Since Slurm 22.05 a step started by `srun` gets one CPU per task, whatever the job requested, and data loading is slow.",
    fix: "Write srun --cpus-per-task=$SLURM_CPUS_PER_TASK, or export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK above it.",
    check: ({ runs }) =>
      runs.flatMap(({ script, step, command, launcher }) => {
        const cpus = script.directives.get("cpus_per_task");
        if (launcher.kind === "other") return [];
        if (cpus === undefined || step === null || step.settings.has("cpus_per_task")) return [];
        if (step.settings.has("exclusive") || command.env.has("SRUN_CPUS_PER_TASK") || !(Number(cpus.value) > 1))
          return [];
        if (command.outer?.env.has("SRUN_CPUS_PER_TASK") === true) return [];
        return [
          {
            span: step.span,
            message: `srun does not inherit --cpus-per-task=${String(cpus.value)}: each task gets one CPU`,
            ...nearby("requested here", cpus.span),
            fixes: [
              {
                title: "give it to srun",
                edits: [
                  { span: { ...step.span, start: step.span.end }, newText: ` --cpus-per-task=${String(cpus.value)}` },
                ],
              },
            ],
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --cpus-per-task=48\nsrun python train.py\n" },
    silent: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --cpus-per-task=48\nexport SRUN_CPUS_PER_TASK=48\nsrun python train.py\n",
    },
  }),
  rule({
    name: "slurm-export",
    source: "sbatch(1): --export",
    why: "`--export=NAME=value` replaces the environment instead of adding to it: PATH, modules and the virtual environment are lost.",
    fix: "Write --export=ALL,NAME=value.",
    check: ({ scripts, runs }) =>
      [
        ...scripts.map(({ directives }) => directives),
        ...runs.flatMap(({ step }) => (step === null ? [] : [step.settings])),
      ].flatMap((settings) => {
        const told = settings.get("export");
        const text = String(told?.value ?? "ALL");
        if (
          told === undefined ||
          !told.known ||
          /(?:^|,)ALL(?:,|$)/.test(text) ||
          text === "NONE" ||
          text === "NIL" ||
          !text.includes("=")
        )
          return [];
        return [
          {
            span: told.span,
            message: `--export=${text} gives the job these variables and no others`,
            valid: [`ALL,${text}`],
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --export=KEY=value\nsrun python train.py\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --export=ALL,KEY=value\nsrun python train.py\n" },
  }),
  rule({
    name: "slurm-variable-unset",
    source: "sbatch(1): OUTPUT ENVIRONMENT VARIABLES",
    why:
      "Slurm sets `SLURM_GPUS_PER_NODE` only if `--gpus-per-node` was given, not for `--gres=gpu:8`; similar variables likewise. Unset, it expands to nothing, and the " +
      "launcher takes the next word as its value.",
    fix: "Read a variable that is always set, such as $SLURM_GPUS_ON_NODE or $SLURM_NNODES, or add the #SBATCH line that sets this one.",
    check: ({ runs }) =>
      runs.flatMap((run) => {
        if (run.script.directives.size === 0) return [];
        const settings = [
          ...run.launcher.settings.values(),
          ...run.options.values(),
          ...(run.step?.settings.values() ?? []),
        ];
        return settings.flatMap((told) =>
          told.from.flatMap((name) => {
            const option = inTable(needs, name);
            if (option === undefined || told.known || run.script.directives.has(option)) return [];
            const directive = run.script.directives.get("gres");
            return [
              {
                span: told.span,
                message: `$${name} is empty: it is set only where #SBATCH --${option.replaceAll("_", "-")} is given`,
                ...nearby("GPUs are requested here", directive?.span),
              },
            ];
          }),
        );
      }),
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --gres=gpu:8\nsrun torchrun --nproc_per_node=$SLURM_GPUS_PER_NODE train.py\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --gpus-per-node=8\nsrun torchrun --nproc_per_node=$SLURM_GPUS_PER_NODE train.py\n",
    },
  }),
  rule({
    name: "slurm-gpus-per-task",
    source: "sbatch(1): --gpus-per-task requires an explicit task count",
    why: "GPUs per task need a number of tasks: `--ntasks` or `--ntasks-per-node`; the number of nodes alone does not determine it.",
    fix: "Add #SBATCH --ntasks=N or --ntasks-per-node=N, or request GPUs with --gpus-per-node.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives }) => {
        const told = directives.get("gpus_per_task");
        if (told === undefined || ["ntasks", "ntasks_per_node", "gpus"].some((name) => directives.has(name)))
          return [];
        return [{ span: told.span, message: "--gpus-per-task also needs --ntasks or --ntasks-per-node" }];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-task=8\nsrun python train.py\n" },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-task=8\nsrun python train.py\n",
    },
  }),
  rule({
    name: "slurm-late-directive",
    severity: "warning",
    source: "sbatch(1): directives end at the first command of the script",
    why: "sbatch stops reading `#SBATCH` lines at the first line that is neither a comment nor empty. Directives below it have no effect.",
    fix: "Move the #SBATCH line above the first command.",
    check: ({ scripts }) =>
      scripts.flatMap(({ late }) =>
        late.map((span) => ({ span, message: "sbatch does not read this: a command comes before it" })),
      ),
    fires: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\nset -e\n#SBATCH --gpus-per-node=8\nsrun python train.py\n",
    },
    silent: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\nset -e\nsrun python train.py\n",
    },
  }),
  rule({
    name: "slurm-log-overwritten",
    severity: "warning",
    source: "sbatch(1): --open-mode",
    why: "A requeued job keeps its id, and its output file is truncated: the reason it stopped is lost.",
    fix: "Add #SBATCH --open-mode=append.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives }) => {
        const told = directives.get("requeue");
        const mode = directives.get("open_mode");
        if (told === undefined || String(mode?.value) === "append") return [];
        return [
          {
            span: told.span,
            message: "when the job is requeued, its log is overwritten",
            fixes: [
              {
                title: "append to it",
                edits: [{ span: { ...told.span, start: told.span.end }, newText: "\n#SBATCH --open-mode=append" }],
              },
            ],
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --requeue\nsrun python train.py\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --requeue\n#SBATCH --open-mode=append\nsrun python train.py\n" },
  }),
  rule({
    name: "slurm-requeue-unsaid",
    severity: "info",
    source: "slurm.conf(5): JobRequeue defaults to 1",
    why:
      "Most sites requeue a job after a node failure. A program that does not resume then starts from the beginning and overwrites its own " +
      "results.",
    fix: "Add #SBATCH --no-requeue, or make the program resume from its last checkpoint and add --requeue.",
    check: ({ runs }) =>
      runs.flatMap(({ script: { directives }, options, launcher }) => {
        if (launcher.kind === "other") return [];
        if (directives.size === 0 || directives.has("requeue") || directives.has("no_requeue")) return [];
        if ([...options.keys()].some((name) => /resume|restore|^load$|ckpt_path|auto_resume/.test(name))) return [];
        return [
          {
            span: launcher.word.span,
            message: "after a node failure Slurm may start this again, and nothing here resumes",
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun python train.py --lr 1e-4\n" },
    silent: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --no-requeue\nsrun python train.py --lr 1e-4\n",
    },
  }),
  rule({
    name: "pyxis-image",
    source: "pyxis README: --container-image=[USER@][REGISTRY#]IMAGE[:TAG]|PATH; enroot import",
    why:
      "pyxis takes an image from a registry as `REGISTRY#IMAGE:TAG`, or a squashfs file by a path that begins with `/` or `./`. A bare name is looked up on " +
      "Docker Hub, `dockerd://` is not available inside a job, and there is no slash after `#`.",
    fix: "Write REGISTRY#IMAGE:TAG for an image from a registry, or a path that begins with / or ./ for a squashfs file.",
    check: ({ runs, scripts }) =>
      [
        ...new Set([
          ...runs.flatMap(({ step, script }) => [script.directives, ...(step === null ? [] : [step.settings])]),
          ...scripts.map(({ directives }) => directives),
        ]),
      ].flatMap((settings) => {
        const told = settings.get("container_image");
        if (told === undefined || !told.known) return [];
        const image = String(told.value);
        if (/\.sqsh$|\.squashfs$/.test(image) && !/^\.{0,2}\//.test(image))
          return [
            {
              span: told.span,
              message: `${image} is looked up on Docker Hub: a file begins with \`/\` or \`./\``,
              valid: [`./${image}`],
            },
          ];
        if (image.startsWith("dockerd:"))
          return [{ span: told.span, message: "dockerd:// asks the node's Docker daemon, which pyxis cannot use" }];
        if (/#\//.test(image))
          return [{ span: told.span, message: `${image} has a slash after #`, valid: [image.replace("#/", "#")] }];
        const [, registry, rest] =
          /^(?:docker:\/\/)?((?:[\w-]+\.)+[\w-]+(?::\d+)?|localhost:\d+)\/([^#]+)$/.exec(image) ?? [];
        if (registry === undefined || rest === undefined) return [];
        return [
          {
            span: told.span,
            severity: "info",
            message: `enroot before 4.0 looks ${image} up on Docker Hub, and which release the nodes have is unknown: every release accepts \`#\` after ${registry}`,
            valid: [image.replace(`${registry}/`, `${registry}#`)],
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun --container-image=hpl.sqsh python train.py\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun --container-image=./hpl.sqsh python train.py\n" },
  }),
];
