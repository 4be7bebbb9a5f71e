/** Scripts that a job writes and starts itself: judged as what starts them, with its environment, once for each task. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { importLaunch } from "../../../compiler/import/import.ts";

const supplied = { world: null, gpusPerNode: null, gpu: "h100" };

const checked = (text: string) => checkForeign([{ path: "job.sbatch", text }], supplied, () => undefined);

const wrong = (text: string): readonly string[] =>
  checked(text)
    .diagnostics.filter(({ severity }) => severity !== "info")
    .map(({ code }) => code.replace("cdr/", ""))
    .toSorted();

const head = `#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
export CUDA_DEVICE_MAX_CONNECTIONS=1
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
`;

const torchrun = (rank: string): string =>
  `torchrun --nnodes $SLURM_NNODES --nproc-per-node 8 --node-rank ${rank} --master-addr $MASTER_ADDR --master-port 29500 ` +
  "pretrain_gpt.py --tensor-model-parallel-size 4 --sequence-parallel --num-layers 32 --hidden-size 4096 --num-attention-heads 32 " +
  "--seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 256 --train-iters 1000 --lr 1e-4 --bf16 " +
  "--data-path /data/a_text_document --vocab-file v.json --merge-file m.txt";

const late = torchrun("\\$SLURM_NODEID");

/** How a job writes its script: `$F` is the name. */
const ways: Readonly<Record<string, string>> = {
  "a here-document": `cat > $F <<EOF\n#!/bin/bash\n${late}\nEOF\n`,
  "its redirection first": `cat <<EOF > $F\n#!/bin/bash\n${late}\nEOF\n`,
  "a quoted here-document": `cat <<'EOF' > $F\n#!/bin/bash\n${torchrun("$SLURM_NODEID")}\nEOF\n`,
  tee: `tee $F <<EOF >/dev/null\n#!/bin/bash\n${late}\nEOF\n`,
  "tee behind a pipe": `cat <<EOF | tee $F\n#!/bin/bash\n${late}\nEOF\n`,
  echo: `echo "#!/bin/bash\n${late}" > $F\n`,
  "echo -e": `echo -e "#!/bin/bash\\n${late}" > $F\n`,
  "several echoes": `echo "#!/bin/bash" > $F\necho "${late}" >> $F\n`,
  printf: `printf '%s\\n' '#!/bin/bash' "${late}" > $F\n`,
  "a group": `{\necho '#!/bin/bash'\necho "${late}"\n} > $F\n`,
  "a copy": `cat > first.sh <<EOF\n#!/bin/bash\n${late}\nEOF\ncp first.sh $F\n`,
};

const written = (way: string, name: string): string => (ways[way] ?? "").replaceAll("$F", () => name);

it.each(Object.keys(ways))("judges what is written by %s as what srun starts", (way) => {
  const text = `${head}${written(way, "run_job.sh")}`;
  expect(wrong(`${text}srun bash run_job.sh\n`)).toEqual([]);
  expect(wrong(`${text}bash run_job.sh\n`)).toEqual(["slurm-one-node"]);
  expect(checked(`${text}srun bash run_job.sh\n`).launch.world).toMatchObject({ size: 32, nodes: 4 });
  expect(checked(`${text}srun bash run_job.sh\n`).launch.runs).toHaveLength(1);
});

it.each([
  ["run_job.sh", "srun ./run_job.sh"],
  ["run_job.sh", "chmod +x run_job.sh\nsrun run_job.sh"],
  ["run_job.sh", "srun -l --ntasks-per-node=1 /abs/run_job.sh"],
  ["run_job.sh", 'srun "$PWD/run_job.sh"'],
  ["run_job.sh", "srun bash < run_job.sh"],
  ["run_job.sh", "srun timeout 60 bash -e run_job.sh"],
  ["run_job.sh", "mpirun -np 4 -npernode 1 bash run_job.sh"],
  ["run_job", "chmod +x run_job\nsrun ./run_job"],
  ["run_$SLURM_JOB_ID.sh", "srun bash run_$SLURM_JOB_ID.sh"],
  ["run_$SLURM_JOB_ID.sh", 'srun bash "run_${SLURM_JOB_ID}.sh"'],
  ['"$PWD/run_job.sh"', 'srun bash "$PWD"/run_job.sh'],
  ["$SLURM_SUBMIT_DIR/run_job.sh", "srun bash run_job.sh"],
  ['"$WORK/run.sh"', 'srun bash "$WORK/run.sh"'],
])("knows %s again in %s", (name, start) => {
  expect(wrong(`${head}${written("a here-document", name)}${start}\n`)).toEqual([]);
  const unset = head.replace("export CUDA", "CUDA");
  expect(wrong(`${unset}${written("a here-document", name)}${start}\n`)).toEqual([
    "megatron-connections-tensor-parallel",
  ]);
});

it.each(["srun bash $F", 'chmod +x "$F"\nsrun "$F"'])("knows the file of mktemp again in %s", (start) => {
  const text = `${head}F=$(mktemp)\n${written("a here-document", '"$F"')}`;
  expect(wrong(`${text}${start}\n`)).toEqual([]);
  expect(checked(`${text}${start}\n`).launch.world.size).toBe(32);
});

it("expands what is not escaped where the script is written, on the first node", () => {
  const early = `cat > run_job.sh <<EOF\n${torchrun("$SLURM_NODEID")}\nEOF\nsrun bash run_job.sh\n`;
  expect(wrong(head + early)).toEqual(["slurm-expanded-early"]);
});

it("gives nothing of the environment to a script on another machine", () => {
  const text = `${head}${written("a here-document", "run_job.sh")}pdsh -w $HOSTS bash /shared/run_job.sh\n`;
  expect(wrong(text)).toEqual(["megatron-connections-tensor-parallel"]);
});

it("reads a script that a written one starts or sources", () => {
  const text = `${head}cat > env.sh <<'EOF'\nexport PARTS=3\nEOF\ncat > inner.sh <<'EOF'\nsource env.sh\n${torchrun("$SLURM_NODEID").replace("size 4", "size $PARTS")}\nEOF\n`;
  const outer = "cat > outer.sh <<'EOF'\nbash inner.sh\nEOF\nsrun bash outer.sh\n";
  expect(wrong(text + outer)).toContain("megatron-world-size");
  expect(wrong((text + outer).replace("PARTS=3", "PARTS=4"))).toEqual([]);
});

it.each([
  ["sed -i s/8/4/ run_job.sh", "sed"],
  ["if [ -n \"$A\" ]; then echo 'python a.py' > run_job.sh; fi", "a branch"],
  ["envsubst < run.tmpl > run_job.sh", "another program"],
])("takes what %s leaves for unknown", (change) => {
  const bad = written("a here-document", "run_job.sh").replace("size 4", "size 3");
  expect(wrong(`${head}${bad}srun bash run_job.sh\n`)).toContain("megatron-world-size");
  expect(wrong(`${head}${bad}${change}\nsrun bash run_job.sh\n`)).toEqual([]);
});

it("imports the training of a written script, and leaves nothing out for its start", () => {
  const text = `${head}${written("a here-document", "run_job.sh")}srun bash run_job.sh\n`;
  const made = importLaunch([{ path: "job.sbatch", text }], { supplied, launch: null }, () => undefined);
  expect(made.diagnostics.map(({ code }) => code)).not.toContain("cdr/import-left-out");
  expect(made.text).toContain("nodes = 4");
});

it.each([
  ["--gpus-per-node=2", "warning"],
  ["--gpus-per-node=8", "info"],
  ["--nodes=4\n#SBATCH --gres=gpu:a100:4", "info"],
  ["--gpus-per-node=2\n#SBATCH --mem=0", undefined],
  ["--gpus-per-node=2\n#SBATCH --exclusive", undefined],
])("tells of a constant port by what else the node can run: %s", (asked, severity) => {
  const text = `#!/bin/bash\n#SBATCH ${asked}\nsrun torchrun --nproc-per-node=2 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:15213 train.py\n`;
  const port = checked(text).diagnostics.find(({ code }) => code === "cdr/slurm-port");
  expect(port?.severity).toBe(severity);
});

it("counts the ranks of a hostfile, given or written by the script, and what a filter leaves", () => {
  const run = (more = ""): string =>
    `deepspeed --hostfile hosts ${more}train.py --deepspeed --deepspeed_config ds.json --lr 1e-4\n`;
  const hosts = "node1 slots=8\nnode2 slots=8\n";
  const size = (files: Readonly<Record<string, string>>): number | null =>
    checkForeign(
      Object.entries(files).map(([path, text]) => ({ path, text })),
      supplied,
      () => undefined,
    ).launch.world.size;
  expect(size({ "run.sh": run(), hosts })).toBe(16);
  expect(size({ "run.sh": `cat > hosts <<EOF\n${hosts}EOF\n${run()}` })).toBe(16);
  expect(size({ "run.sh": run("--num_nodes 1 --num_gpus 4 "), hosts })).toBe(4);
  expect(size({ "run.sh": run("--exclude node2 "), hosts })).toBe(8);
  expect(size({ "run.sh": run(), hosts: hosts.replace("8", "4") })).toBeNull();
});

it.each([
  ["runs/sft.yaml", "ds.json", "runs/ds.json"],
  ["examples/full/sft.yaml", "examples/ds.json", "examples/ds.json"],
  ["sft.yaml", "/etc/ds.json", "/etc/ds.json"],
])("the configuration %s names %s, which lies beside it or below a folder above: %s", (path, named, lies) => {
  const text = `model_name_or_path: m\noutput_dir: o\nfinetuning_type: full\nstage: sft\nper_device_train_batch_size: 1\ndeepspeed: ${named}\n`;
  const config =
    '{"zero_optimization": {"stage": 3, "stage3_prefetch_bucket_sizes": 1}, "train_micro_batch_size_per_gpu": 1}';
  const { diagnostics } = checkForeign([{ path, text }], supplied, (name, from) => {
    const folder = from.path.includes("/") ? from.path.slice(0, from.path.lastIndexOf("/") + 1) : "";
    const whole = name.startsWith("/") ? name : new URL(name, `file:///${folder}`).pathname.slice(1);
    return whole === lies ? { path: whole, text: config } : undefined;
  });
  expect(diagnostics.map(({ code }) => code)).toContain("cdr/deepspeed-key");
});
