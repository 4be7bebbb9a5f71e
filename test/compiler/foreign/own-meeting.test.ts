/** A name that the batch script finds is one for all nodes; one that the shell of each node finds is each node's own. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --exclusive\n";
const elastic = "torchrun --nnodes 2 --nproc_per_node 4 --rdzv_backend c10d";

function judged(text: string, others: Readonly<Record<string, string>> = {}): readonly string[] {
  const supplied = { world: null, gpusPerNode: null, gpu: null };
  const read = (path: string) => {
    const found = others[path.replace(/^\.\//, "")];
    return found === undefined ? undefined : { path, text: found };
  };
  return checkForeign([{ path: "job.sbatch", text: head + text }], supplied, read).diagnostics.flatMap(
    ({ code, message, span: { source, start, end } }) =>
      code === "cdr/torchrun-own-meeting"
        ? [`${message.split(" ").slice(0, 5).join(" ")}: ${source.text.slice(start, end)}`]
        : [],
  );
}

const spelt = ["$(hostname)", "`hostname -s`", "$(hostname -I | awk '{print $1}')", "$HOSTNAME", "${HOSTNAME}"];

it.each(spelt)("%s of the batch script is the first node's name", (name) => {
  const line = (place: string): string => `${elastic} --rdzv_id 1 --rdzv_endpoint ${place}:29500 train.py`;
  for (const text of [
    `M=${name}\nsrun bash -c "${line("$M")}"`,
    `export M=${name}\nsrun bash -c '${line("$M")}'`,
    `M="${name}"\nCMD="${line("$M")}"\nsrun --jobid $SLURM_JOBID bash -c "$CMD"`,
    `CMD="${line(name)}"\nsrun bash -c "$CMD"`,
    `srun bash -c "${line(name)}"`,
    `M=${name}\nsrun -N2 apptainer exec --nv x.sif bash -c "${line("$M")}"`,
    `export M=${name}\nsrun bash -c 'bash -c "${line("\\$M")}"'`,
    `export M=${name}\ncat > run_$SLURM_JOB_ID.sh <<'EOT'\n${line("$M")}\nEOT\nsrun bash run_$SLURM_JOB_ID.sh`,
    `M=${name}\ncat > run.sh <<EOT\n${line("$M")}\nEOT\nsrun bash run.sh`,
    `M=${name} srun bash <<'EOT'\n${line("$M")}\nEOT`,
    `srun ${line(name)}`,
  ])
    expect(judged(text), text).toEqual([]);
  expect(judged(`export M=${name}\nsrun ./run.sh`, { "run.sh": `#!/bin/bash\n${line("$M")}\n` })).toEqual([]);
});

it.each(["$(hostname)", "$(hostname -s)", "$HOSTNAME"])("%s of each node's shell is its own", (name) => {
  const line = (place: string): string => `${elastic} --rdzv_id 1 --rdzv_endpoint ${place}:29500 train.py`;
  for (const text of [
    `srun bash -c '${line(name)}'`,
    `srun bash -c "${line(`\\${name}`)}"`,
    `srun bash -c 'M=${name}; ${line("$M")}'`,
    `srun bash -c 'export M=${name}; bash -c "${line("\\$M")}"'`,
    `cat > run.sh <<'EOT'\n${line(name)}\nEOT\nsrun bash run.sh`,
    `srun -N2 apptainer exec --nv x.sif bash -c '${line(name)}'`,
  ])
    expect(judged(text), text).toEqual([expect.stringMatching(/^each node names itself in/) as string]);
  expect(judged("srun ./run.sh", { "run.sh": `#!/bin/bash\nM=${name}\n${line("$M")}\n` })).toHaveLength(1);
});

it("a number drawn once is that of all nodes, and one that each draws is not", () => {
  const line = (id: string): string => `${elastic} --rdzv_id ${id} --rdzv_endpoint n1:29500 train.py`;
  expect(judged(`ID=$RANDOM\nsrun bash -c "${line("$ID")}"`)).toEqual([]);
  expect(judged(`ID=$((RANDOM % 1000))\nsrun bash -c "${line("$ID")}"`)).toEqual([]);
  expect(judged(`srun bash -c "${line("$RANDOM")}"`)).toEqual([]);
  for (const id of ["$RANDOM", "$((RANDOM % 1000))", "$$"])
    expect(judged(`srun bash -c '${line(id)}'`)).toEqual([
      expect.stringMatching(/^each node draws its own/) as string,
    ]);
});
