/** Scripts that a script writes or hands to sbatch, and what little commands print. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const checked = (text: string) =>
  checkForeign([{ path: "run.sh", text }], { world: null, gpusPerNode: null, gpu: null }, () => undefined);

const job = (time: string): string => `#!/bin/bash
#SBATCH --job-name=$NAME
#SBATCH --nodes=4
#SBATCH --gpus-per-node=8
#SBATCH --time=${time}
srun torchrun --nnodes=\\$SLURM_NNODES --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=\\$HEAD:29500 train.py
`;

it.each([
  ["sbatch's input", (text: string) => `NAME=a\nsbatch <<EOT\n${text}EOT\n`],
  ["sbatch's input, with options", (text: string) => `NAME=a\nsbatch --parsable <<EOT\n${text}EOT\n`],
  ["a file", (text: string) => `NAME=a\ncat > job.sbatch <<EOF\n${text}EOF\nsbatch job.sbatch\n`],
  ["a file of a loop", (text: string) => `for NAME in a; do\ncat <<EOF > job_$NAME.sh\n${text}EOF\ndone\n`],
])("reads a job from %s", (_, around) => {
  const { launch, diagnostics } = checked(`#!/bin/bash\n${around(job("24:00:00"))}`);
  expect(launch.world).toMatchObject({ size: 32, nodes: 4 });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(diagnostics.map(({ code }) => code)).not.toContain("cdr/slurm-late-directive");
  const wrong = `#!/bin/bash\n${around(job("24h"))}`;
  const found = checked(wrong).diagnostics.find(({ code }) => code === "cdr/slurm-value");
  expect(found && wrong.slice(found.span.start, found.span.end)).toBe("24h");
});

it("takes a directive that a variable fills for unknown", () => {
  const { diagnostics } = checked("#!/bin/bash\nsbatch <<EOT\n#!/bin/bash\n#SBATCH --nodes=$1\nhostname\nEOT\n");
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});

it("still tells a directive behind a command", () => {
  const { diagnostics } = checked("#!/bin/bash\n#SBATCH --nodes=1\ncat <<EOF\na\nEOF\n#SBATCH --time=10\nhostname\n");
  expect(diagnostics.map(({ code }) => code)).toContain("cdr/slurm-late-directive");
});

it.each([
  ["$(expr 2 \\* 8)", 16],
  ["$(expr 20 - 4)", 16],
  ["$(expr 7 / 2)", 3],
  ["$(expr $NOBODY \\* 8)", null],
])("knows what %s is", (text, size) => {
  expect(checked(`#!/bin/bash\naccelerate launch --num_processes ${text} train.py --lr 1\n`).launch.world.size).toBe(
    size,
  );
});

it("never shows a name that no script sets", () => {
  const { diagnostics } = checked(
    '#!/bin/bash\nCMD="torchrun --nnodes $N --nproc-per-node 8 train.py --lr 1"\neval "$CMD"\n',
  );
  expect(diagnostics.map(({ message }) => message).join("\n")).not.toContain("cdr_unknown");
});

it("reads torchtune's starter as torchrun", () => {
  const { launch } = checked(
    "#!/bin/bash\ntune run --nnodes 2 --nproc_per_node 8 full_finetune_distributed --config a\n",
  );
  expect(launch.world.size).toBe(16);
});

it("finds the program whose folder is not known", () => {
  const { launch } = checked(
    '#!/bin/bash\nsrun bash -c "torchrun --nproc_per_node 8 --node_rank \\$SLURM_PROCID $PWD_/pretrain_gpt.py --tensor-model-parallel-size 4 --num-layers 70"\n',
  );
  expect(launch.runs[0]?.options.get("tensor_model_parallel_size")?.value).toBe("4");
  expect(launch.runs[0]?.launcher.settings.has("tensor_model_parallel_size")).toBe(false);
});

it("counts the ranks of jsrun", () => {
  const { launch } = checked("#!/bin/bash\njsrun -n 12 -a 2 -c 7 -g 2 python train.py --lr 1\n");
  expect(launch.world.size).toBe(24);
});

it("says that a script starts nothing that is known", () => {
  const said = (text: string) =>
    checked(text).diagnostics.filter(({ message }) => message.startsWith("what this starts"));
  expect(said("#!/bin/bash\nhorovodrun -np 8 benchmark.py --tp 2\n")).toHaveLength(1);
  expect(said("#!/bin/bash\ntorchrun --nproc_per_node 8 train.py --lr 2\n")).toEqual([]);
  expect(said("#!/bin/bash\ncharmrun torchrun --nproc-per-node 8 train.py\n")).toEqual([]);
});
