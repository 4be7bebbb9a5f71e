/** What stands around the program of a command: wrappers are read through, and their variables count. */
import { describe, expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const codes = (files: Readonly<Record<string, string>>, gpu: string | null = "h100") =>
  checkForeign(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    { world: null, gpusPerNode: null, gpu },
    (path) => (path === "my.env" ? { path, text: "CUDA_DEVICE_MAX_CONNECTIONS=1\n" } : undefined),
  ).diagnostics.map(({ code, message }) => `${code} ${message}`);

const program =
  "pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 " +
  "--micro-batch-size 4 --global-batch-size 256 --train-iters 100 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer " +
  "--vocab-size 32000 --tensor-model-parallel-size 2 --sequence-parallel";
const torchrun = `torchrun --nproc-per-node 8 ${program}`;
const V = "CUDA_DEVICE_MAX_CONNECTIONS=1";
const connections = /CUDA_DEVICE_MAX_CONNECTIONS/;

describe("a variable that stands around the program", () => {
  it.each([
    ["mpirun", `mpirun -np 16 -x ${V} -x MASTER_ADDR python ${program}`],
    ["env", `env -u A B=2 ${V} ${torchrun}`],
    ["a directive", `#!/bin/bash\n#SBATCH --ntasks-per-node=8\n#SBATCH --export=ALL,${V}\nsrun python ${program}`],
    ["a step", `#!/bin/bash\nsrun --export=ALL,A=2,${V} ${torchrun}`],
    ["a step around a shell", `#!/bin/bash\nsrun --export=ALL,${V} bash -c "python ${program}"`],
    ["apptainer", `apptainer exec --nv --env A=2,${V} img.sif ${torchrun}`],
    ["a prefix of apptainer", `export APPTAINERENV_${V}\napptainer exec --nv img.sif ${torchrun}`],
    ["set -a", `set -a; source my.env; set +a\n${torchrun}`],
    ["set -o allexport", `set -o allexport\n. my.env\nset +o allexport\n${torchrun}`],
    ["a file of docker", `docker run --gpus all --ipc host --env-file my.env img ${torchrun}`],
    ["docker", `docker run --gpus all --ipc host -e A=2 -e ${V} -e B img ${torchrun}`],
  ])("%s", (_, text) => {
    expect(codes({ "run.sh": `${text}\n` }).filter((each) => connections.test(each))).toEqual([]);
  });

  it.each([
    ["nothing", torchrun],
    ["another name", `env CUDA_DEVICE_MAX=1 ${torchrun}`],
    ["after set +a", `set -a; set +a; source my.env\n${torchrun}`],
  ])("%s does not set it", (_, text) => {
    expect(codes({ "run.sh": `${text}\n` }).some((each) => connections.test(each))).toBe(true);
  });
});

describe("a command behind a program that starts it", () => {
  const wrong = `${torchrun} --ffn-hidden-size 8193`;
  it.each([
    ["uv run"],
    ["uv run --with deepspeed --no-sync"],
    ["uv --directory x run --"],
    ["poetry run"],
    ["pipenv run"],
    ["conda run -n x --no-capture-output"],
    ["micromamba run -p /opt/env"],
    ["parallel -j 2 --sshlogin n0,n1"],
    ["enroot start -e A=1 --mount a:b image"],
    ["kubectl exec -it pod --"],
    ["ray job submit --working-dir . --"],
    ["nsys profile -o out -t cuda,nvtx"],
  ])("%s", (wrapper) => {
    const end = wrapper.startsWith("parallel") ? " ::: 1 2" : "";
    expect(codes({ "run.sh": `${wrapper} ${wrong}${end}\n` })).toContainEqual(expect.stringContaining("8193"));
  });

  it.each([
    ["flux run -N2 -n16 -g1", 16],
    ["jsrun -p 16 -g 1", 16],
  ])("%s starts one process for each rank", (wrapper, ranks) => {
    const { launch } = checkForeign(
      [{ path: "run.sh", text: `${wrapper} python ${program}\n` }],
      { world: null, gpusPerNode: null, gpu: null },
      () => undefined,
    );
    expect(launch.world.size).toBe(ranks);
  });

  it.each([
    ["torchx", `torchx run dist.ddp -j 2x8 --script train.py -- --lr 1`],
    ["horovodrun", "horovodrun -np 4 python train.py --lr 1"],
    ["ssh", 'ssh host "cd w && torchrun --nproc-per-node 8 train.py"'],
  ])("%s is said not to be read", (name, text) => {
    expect(codes({ "run.sh": `#!/bin/sh\n${text}\n` })).toContain(
      `cdr/command-unread the command after ${name} is not read`,
    );
  });

  it.each([["which torchrun"], ["pip install deepspeed"], ["pkill -f torchrun"], ["uv pip install accelerate"]])(
    "%s starts none",
    (text) => {
      expect(codes({ "run.sh": `#!/bin/sh\n${text}\n${torchrun}\n` }).join("\n")).not.toContain("is not read");
    },
  );
});

it("takes a file whose name ends as a script's for one, without a first line", () => {
  for (const path of ["run.sh", "run.bash", "job.sbatch", "job.slurm"])
    expect(codes({ [path]: "ls\n" }).join("\n")).not.toContain("cdr/foreign-kind");
});

it("leaves the padding of packs to Axolotl", () => {
  const yaml =
    "base_model: a/b\nsequence_len: 4096\nsample_packing: true\nmicro_batch_size: 1\ncontext_parallel_size: 2\n";
  expect(codes({ "ax.yaml": yaml }).join("\n")).not.toContain("packing-context");
});

it("calls nothing wrong that only zsh reads", () => {
  const text = "#!/bin/zsh\nA=(${(s: :)B})\nfor f (*.py) { echo $f }\n";
  const { diagnostics } = checkForeign(
    [{ path: "run.zsh", text }],
    { world: null, gpusPerNode: null, gpu: null },
    () => undefined,
  );
  expect(diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
});
