/** Steps of a Slurm job. */
import { toldIn, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

/** Bindings that leave a task fewer GPUs than its node gives the job. */
const narrow = /^(?:verbose,)?(?:closest$|single:|per_task:|map:|mask:|map_gpu:|mask_gpu:)/;

export const slurmStepRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-gpu-bound",
    severity: "warning",
    source: "srun(1): --gpus-per-task implies --gpu-bind=per_task; --gpu-bind",
    why: "With GPUs bound to tasks each process sees only its own, as number 0: `LOCAL_RANK` selects one that is not visible, and NCCL loses its direct paths.",
    fix: "Request GPUs with --gpus-per-node, or add --gpu-bind=none.",
    check: ({ scripts, runs }) =>
      scripts.flatMap((script): readonly Found[] => {
        const own = runs.filter((run) => run.script === script);
        const said = (name: string): Told | undefined =>
          own.map(({ step }) => step?.settings.get(name)).find((told) => told !== undefined) ??
          script.directives.get(name);
        const nodes = Number(said("nodes")?.value ?? 1);
        const tasks = Number(said("ntasks_per_node")?.value ?? Number(said("ntasks")?.value ?? 1) / nodes);
        const [told, bound] = [said("gpus_per_task"), said("gpu_bind")];
        if (!(tasks > 1) || bound?.value === "none") return [];
        if (told !== undefined) return [{ span: told.span, message: "each task sees only its own GPU" }];
        // What a program does with the GPUs that it sees is its own affair, but for one that counts them.
        const devices = own
          .map(({ options }) => toldIn(options, "trainer.devices"))
          .find((each) => each !== undefined);
        if (bound === undefined || !(Number(devices?.value) > 1) || !narrow.test(String(bound.value))) return [];
        return [
          {
            span: bound.span,
            message: `with --gpu-bind=${String(bound.value)} a task sees some GPUs of its node, but its program needs ${String(devices?.value)}`,
            valid: ["none"],
            ...nearby("the devices", devices?.span),
          },
        ];
      }),
    fires: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-task=1\nsrun python train.py\n",
    },
    silent: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8\nsrun python train.py\n",
      // A task on each node has all of its GPUs.
      "alone.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks=2\n#SBATCH --gpus-per-task=8\nsrun python train.py\n",
    },
  }),
  rule({
    name: "slurm-nested-step",
    severity: "warning",
    source: "srun(1): a step inside a step inherits SLURM_CPU_BIND and its kin",
    why: "An `srun` that another `srun` starts waits for resources that the outer step holds, or inherits its CPU mask.",
    fix: "Start the step from the batch script; or add --overlap to the inner srun and unset SLURM_CPU_BIND before it.",
    check: ({ runs }) =>
      runs.flatMap(({ command, step }) => {
        const outer = command.outer?.words.find(({ text }) => text === "srun");
        const own = command.words.find(({ text }) => text === "srun");
        if (outer === undefined || own === undefined || step?.settings.has("overlap") === true) return [];
        return [
          {
            span: own.span,
            message: "this srun runs inside a step of another",
            ...nearby("the outer step", outer.span),
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun bash -c 'srun python train.py'\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun bash -c 'python train.py'\n" },
  }),
  rule({
    name: "slurm-tools-inside",
    severity: "info",
    source:
      "pyxis issue 129; lightning/pytorch/trainer/connectors/signal_connector.py: _slurm_sigusr_handler_fn (scontrol requeue)",
    why: "Images rarely contain scontrol and the other tools of Slurm. Inside a container their output is empty, or the fallback after `||`: if that is localhost, each node meets only itself. Lightning's requeue calls scontrol too.",
    fix: "Call it in the batch script, before srun, and pass the result in a variable; or mount the tools into the container.",
    check: ({ runs }) =>
      runs.flatMap(({ step, script, command, options }): readonly Found[] => {
        const image = step?.settings.get("container_image") ?? script.directives.get("container_image");
        if (step === null || image === undefined) return [];
        const inner = command.outer?.words.find(({ text }) => /\bscontrol\b/.test(text ?? ""));
        const signal = script.directives.get("signal");
        const requeues = signal !== undefined && /USR1/.test(String(signal.value)) && options.has("trainer.devices");
        if (inner === undefined && !requeues) return [];
        return [
          {
            span: inner === undefined ? image.span : inner.span,
            message: `whether this image has scontrol is unknown${inner === undefined ? ": Lightning calls it to requeue the job" : ", and it is called inside"}`,
            ...nearby("the image", image.span),
          },
        ];
      }),
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=2\nsrun --container-image=nvcr.io#nvidia/pytorch:25.01-py3 bash -c 'export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1 || echo localhost); python train.py'\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=2\nexport MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\nsrun --container-image=nvcr.io#nvidia/pytorch:25.01-py3 bash -c 'python train.py'\n",
    },
  }),
  rule({
    name: "pyxis-name",
    severity: "warning",
    source: "pyxis README: --container-name",
    why: "A named container exists only where it was created: on each node, for one job (or one user, depending on the site). Without `--container-image`, a step fails where the container does not exist yet.",
    fix: "Add --container-image to every step with --container-name.",
    check: ({ runs }) =>
      runs.flatMap(({ step, script }) => {
        const told = step?.settings.get("container_name") ?? script.directives.get("container_name");
        const image = step?.settings.get("container_image") ?? script.directives.get("container_image");
        return told === undefined || image !== undefined
          ? []
          : [
              {
                span: told.span,
                message: "without --container-image, this container must already exist on every node",
              },
            ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun --container-name=env python train.py\n" },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=1\nsrun --container-name=env --container-image=nvcr.io#nvidia/pytorch:25.01-py3 python train.py\n",
    },
  }),
];
