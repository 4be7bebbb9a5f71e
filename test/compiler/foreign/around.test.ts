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

const nothing = { world: null, gpusPerNode: null, gpu: null };

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
    ["nohup"],
    ["timeout --signal=TERM -k 30 10h"],
    ["env -u A B=1"],
    ["stdbuf -o L -eL"],
    ["numactl --cpunodebind=0 -m 0"],
    ["unbuffer"],
    ["taskset -c 0-15"],
    ["systemd-run --scope -p MemoryMax=10G"],
    ["runuser -u me --"],
    ["tini -s --"],
    ["dotenv -f .env run --"],
    ["direnv exec ."],
    ["hatch -e gpu run"],
    ["nix develop .# -c"],
    ["ncu -o x --set full"],
    ["py-spy record -o x --"],
    ["perf record -g -o x --"],
    ["compute-sanitizer --tool memcheck"],
    ["gdb -ex run --args"],
    ["strace -f -o x"],
    ["salloc -N1 --gpus-per-node=8 srun -n1"],
    ["aprun -n 1 -N 1"],
    ["qsub -l select=1 --"],
    ["docker exec -it box"],
    ["docker compose -f a.yml run --rm trainer"],
    ["docker-compose exec trainer"],
    ["nerdctl run --rm --gpus all image"],
    ["singularity exec --nv -B /a:/b image.sif"],
    ["shifter --image=a --module gpu"],
    ["ch-run -w ./image --"],
    ["sarus run --mpi image"],
    ["oc exec pod -c main --"],
    ["kubectl run x --image=a --command --"],
    ["screen -dmS run"],
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
    ["charmrun", "charmrun +p4 torchrun --nproc-per-node 8 train.py"],
    ["horovodrun", "horovodrun -np 4 python train.py --lr 1"],
  ])("%s is said not to be read", (name, text) => {
    expect(codes({ "run.sh": `#!/bin/sh\n${text}\n` })).toContainEqual(
      expect.stringMatching(`^cdr/command-unread .*${name}`),
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

describe("a command that another shell reads", () => {
  const faults = (text: string) => {
    const source = { path: "run.sh", text };
    const { diagnostics, launch } = checkForeign(
      [source],
      { world: null, gpusPerNode: null, gpu: "h100" },
      () => undefined,
    );
    const found = diagnostics.find(({ code }) => code === "cdr/megatron-unrecognized");
    return {
      at: found === undefined ? null : text.slice(found.span.start, found.span.end),
      ranks: launch.world.size,
    };
  };
  const wrong = `${torchrun} --bogus 3`;
  it.each([
    ["single quotes", `ssh node1 '${wrong}'`],
    ["double quotes", `ssh -p 22 -o A=no user@node1 "cd /x && ${wrong}"`],
    ["words", `ssh node1 ${wrong}`],
    ["a host that is not known", `while read host; do ssh -n $host "${wrong}" & done`],
    ["a variable that is known", `N=8\nssh node1 "torchrun --nproc-per-node $N ${program} --bogus 3"`],
    ["options behind the host", `ssh node1 -t "${wrong}"`],
    ["a wrapper before", `timeout 3h sshpass -p x ssh node1 '${wrong}'`],
    ["a shell within", `ssh node1 "bash -lc '${wrong}'"`],
    ["its input", `ssh node1 <<'EOF'\n${wrong}\nEOF`],
    ["its input, to a shell", `ssh node1 bash -s <<EOF\n${wrong}\nEOF`],
    ["a container's input", `docker exec -i box bash <<EOF\n${wrong}\nEOF`],
    ["pdsh", `pdsh -f 64 -S -w node[1-4] "${wrong}"`],
    ["clush", `clush -w node[1-4] -b "${wrong}"`],
    ["pssh", `parallel-ssh -h hosts -i '${wrong}'`],
    ["tmux", `tmux new-session -d -s run '${wrong}'`],
    ["sbatch", `sbatch -N1 --gpus-per-node=8 --wrap="${wrong}"`],
    ["sbatch, by two words", `sbatch -N 1 --wrap 'srun ${wrong}' -J x`],
    ["gcloud", `gcloud compute ssh node --zone a --command='${wrong}'`],
    ["gcloud's TPUs", `gcloud alpha compute tpus tpu-vm ssh v4 --worker=all --command "${wrong}"`],
    ["gcloud behind dashes", `gcloud compute ssh node -- ${wrong}`],
    ["parallel", `parallel -j1 '${wrong} --seed {}' ::: 1 2`],
    ["parallel on other machines", `parallel --nonall -S a,b "${wrong}"`],
    ["ansible", `ansible all -m shell -a '${wrong}'`],
    ["bsub", `bsub -n 1 -gpu num=8 "${wrong}"`],
    ["another group", `sg people -c '${wrong}'`],
    ["nix-shell", `nix-shell shell.nix --run '${wrong}'`],
    ["env -S", `env -S '${wrong}'`],
    [
      "an entry point",
      `docker run --gpus all --ipc host --entrypoint torchrun image ${wrong.slice("torchrun ".length)}`,
    ],
    ["a condition", `if ! ${wrong}; then exit 1; fi`],
    ["a loop's condition", `until ${wrong}; do sleep 60; done`],
    ["keys", `tmux send-keys -t run '${wrong}' C-m`],
    ["screen", `screen -dmS run bash -c '${wrong}'`],
    ["xargs", `cat list | xargs -I{} ${wrong}`],
    ["xargs and a shell", `cat list | xargs -n 1 bash -c '${wrong} --lr "$1"' _`],
    ["a container", `docker run --gpus all --ipc host -v /a:/b image bash -c "${wrong}"`],
    ["a step", `srun -K -N 1 bash -c '${wrong}'`],
    ["another user", `su - me -c '${wrong}'`],
  ])("%s", (_, text) => {
    expect(faults(`#!/bin/bash\n${text}\n`)).toEqual({ at: "--bogus", ranks: 8 });
  });

  it("gives what sbatch wraps the options of its sbatch", () => {
    const text = `sbatch -N 4 --gpus-per-node=8 --wrap='srun torchrun --nnodes $SLURM_NNODES --nproc-per-node 8 ${program}'\n`;
    const { launch } = checkForeign([{ path: "run.sh", text: `#!/bin/bash\n${text}` }], nothing, () => undefined);
    expect(launch.world).toMatchObject({ size: 32, nodes: 4 });
    expect(launch.runs[0]?.script.directives.get("gpus_per_node")?.value).toBe("8");
  });

  it("takes what parallel puts in for unknown", () => {
    const read = (command: string) =>
      codes({ "run.sh": `#!/bin/bash\n${command}\n` }).filter((each) => each.includes("--num-layers"));
    expect(read(`parallel '${torchrun.replace("--num-layers 24", "--num-layers LAYERS")}' ::: 1`)).not.toEqual([]);
    expect(read(`parallel '${torchrun.replace("--num-layers 24", "--num-layers {}")}' ::: 12 24`)).toEqual([]);
  });

  it("takes what is not known for unknown", () => {
    const read = (text: string) =>
      codes({ "run.sh": `#!/bin/bash\n${text}\n` }).filter((each) => each.includes("--num-layers"));
    const sweep = torchrun.replace("--num-layers 24", "--num-layers LAYERS");
    expect(read(sweep)).not.toEqual([]);
    expect(read(`cat list | xargs -I LAYERS ${sweep}`)).toEqual([]);
    expect(read(`cat list | xargs -I LAYERS sh -c '${sweep}'`)).toEqual([]);
  });

  it.each([
    ["rsync -e ssh -av a b"],
    ["ssh-keygen -t rsa"],
    ['git config core.sshCommand "ssh -i key"'],
    ["tmux kill-session -t run"],
    ["gcloud compute instances list --filter torchrun"],
    ["sbatch --parsable job.sbatch"],
    ['cat file | ssh host "cat > copy"'],
  ])("%s starts none", (text) => {
    expect(codes({ "run.sh": `#!/bin/bash\n${text}\n${torchrun}\n` })).toEqual(
      codes({ "run.sh": `#!/bin/bash\n${torchrun}\n` }),
    );
  });
});

describe("options of a launcher that take more or fewer words", () => {
  const launchOf = (text: string) =>
    checkForeign(
      [{ path: "run.sh", text: `#!/bin/bash\n${text}\n` }],
      { world: null, gpusPerNode: null, gpu: null },
      () => undefined,
    ).launch;
  it.each([
    ["mpirun -np 8 -mca pml ob1 --mca btl tcp -bind-to none -map-by slot -nooversubscribe -x A=3", "mpirun", 8],
    ["mpiexec -n 8 -ppn 4 -hosts a,b -genv X 3 -envall", "mpirun", 8],
    ["mpiexec -n 8 --ppn 4 --cpu-bind depth -d 8 --env X=3", "mpirun", 8],
    ["srun --kill-on-bad-exit -K --ntasks 8 --hint nomultithread", "python", 8],
    ["torchrun --log-line-prefix-template x --virtual-local-rank --nproc-per-node 8", "torchrun", 8],
    ["accelerate launch --same_network --fp8_backend te --num_processes 8", "accelerate", 8],
  ])("%s", (launcher, kind, ranks) => {
    const python = ["mpirun", "python"].includes(kind) ? "python " : "";
    const { runs, world } = launchOf(`${launcher} ${python}train.py --lr 1`);
    expect(runs.map((run) => [run.program?.text, run.launcher.kind])).toEqual([["train.py", kind]]);
    expect(world.size).toBe(ranks);
  });

  it("gives what mpiexec sets to the program", () => {
    expect(codes({ "run.sh": `mpiexec -n 8 -genv CUDA_DEVICE_MAX_CONNECTIONS 1 python ${program}\n` })).toEqual(
      codes({ "run.sh": `CUDA_DEVICE_MAX_CONNECTIONS=1 mpiexec -n 8 python ${program}\n` }),
    );
  });
});

describe("torchx", () => {
  const world = (text: string) =>
    checkForeign(
      [{ path: "run.sh", text: `#!/bin/bash\n${text}\n` }],
      { world: null, gpusPerNode: null, gpu: null },
      () => undefined,
    ).launch;
  it.each([
    ["-j 2x8", 16],
    ["-j 8", 8],
    ["-j=1x4 --gpu 4", 4],
    ["", 2],
    ["-j 1:2x8", null],
  ])("%s", (sizes, ranks) => {
    const launch = world(`torchx run -s slurm -cfg partition=x dist.ddp ${sizes} --script train.py -- --lr 1`);
    expect(launch.runs.map(({ program: word, options }) => [word?.text, options.get("lr")?.value])).toEqual([
      ["train.py", "1"],
    ]);
    expect(launch.world.size).toBe(ranks);
  });

  it("starts what it sets", () => {
    const argument = program.replace("pretrain_gpt.py", "-j 1x8 --script pretrain_gpt.py --");
    const found = (env: string) =>
      codes({ "run.sh": `#!/bin/bash\ntorchx run dist.ddp ${env} ${argument}\n` }).filter((each) =>
        connections.test(each),
      );
    expect(found("")).not.toEqual([]);
    expect(found(`--env A=2,${V}`)).toEqual([]);
  });
});
