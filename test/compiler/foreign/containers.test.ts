/** Commands of containers are judged as the same lines of a script, with the ranks and the environment of their manifest. */
import { describe, expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { positionAt } from "../../../dsl/source/source.ts";

const supplied = { world: null, gpusPerNode: null, gpu: "h100" };

function judged(files: Readonly<Record<string, string>>) {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const { diagnostics, launch } = checkForeign(sources, supplied, () => undefined);
  const told = diagnostics
    .filter(({ severity, code }) => severity !== "info" && !code.startsWith("cdr/kubernetes-"))
    .map(({ code, span: { source, start, end } }) => ({
      code,
      line: `${source.path}:${positionAt(source, start).line + 1}`,
      text: source.text.slice(start, end),
    }));
  return { told, world: launch.world.size };
}

const program = (tensor: number, more = ""): string =>
  `pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 ` +
  `--max-position-embeddings 2048 --micro-batch-size 4 --train-iters 100 --lr 1e-4 --bf16 --mock-data ` +
  `--tokenizer-type NullTokenizer --vocab-size 32000 --tensor-model-parallel-size ${tensor}${more}`;
const connections = '[{ name: CUDA_DEVICE_MAX_CONNECTIONS, value: "1" }]';

const pytorchJob = (command: string, env = connections): string => `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: a }
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          containers:
            - name: pytorch
              image: x:1
              env: ${env}
              resources: { limits: { nvidia.com/gpu: 8 } }
              command: ${command}
`;
const trainJob = `apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: { name: a }
spec:
  trainer:
    image: x:1
    numNodes: 4
    numProcPerNode: 8
    command: [bash, train.sh]
    env: ${connections}
    resourcesPerNode: { limits: { nvidia.com/gpu: 8 } }
`;

describe("a manifest and the script that it runs", () => {
  it.each([
    ["PyTorchJob", pytorchJob("[bash, train.sh]")],
    ["TrainJob", trainJob],
  ])("%s tells torchrun its processes and the program its environment", (_, manifest) => {
    const right = judged({ "job.yaml": manifest, "train.sh": `torchrun ${program(2)}\n` });
    expect(right).toEqual({ told: [], world: 32 });
    const wrong = judged({ "job.yaml": manifest, "train.sh": `torchrun ${program(16, " --nope 3")}\n` });
    expect(wrong.told.map(({ code, line }) => `${code} ${line}`)).toEqual(["cdr/megatron-unrecognized train.sh:1"]);
  });

  it("a script that the image starts has what the manifest says, and one of Slurm has not", () => {
    const manifest = pytorchJob("[]").replace("              command: []\n", "");
    expect(judged({ "job.yaml": manifest, "train.sh": `torchrun ${program(2)}\n` })).toEqual({ told: [], world: 32 });
    const batch = `#!/bin/bash\n#SBATCH --nodes=1\nsrun torchrun ${program(2)}\n`;
    expect(judged({ "job.yaml": manifest, "job.sbatch": batch }).world).toBe(1);
  });

  it("a variable that the manifest sets wrongly is told there", () => {
    const manifest = pytorchJob("[bash, train.sh]", connections.replace('"1"', '"8"'));
    const { told } = judged({ "job.yaml": manifest, "train.sh": `torchrun ${program(2)}\n` });
    expect(told).toEqual([{ code: "cdr/megatron-connections-tensor-parallel", line: "job.yaml:14", text: "8" }]);
  });
});

describe("commands of containers", () => {
  it("words of a list are arguments, each at its place", () => {
    const words = `torchrun ${program(3)}`.split(" ");
    const { told, world } = judged({ "job.yaml": pytorchJob(`[${words.map((word) => `"${word}"`).join(", ")}]`) });
    expect(world).toBe(32);
    expect(told).toContainEqual({ code: "cdr/megatron-world-size", line: "job.yaml:16", text: "3" });
  });

  it.each([
    ["folded", ">-", ""],
    ["literal", "|", " \\"],
  ])("a %s block is read as a script, at the lines of the YAML", (_, style, end) => {
    const lines = [`set -ex${end === "" ? " &&" : ""}`, `torchrun${end}`, `  ${program(3)}`];
    const block = lines.map((line) => `                  ${line}`).join("\n");
    const { told, world } = judged({
      "job.yaml": pytorchJob(`[bash, -c]\n              args:\n                - ${style}\n${block}`),
    });
    expect(world).toBe(32);
    expect(told).toContainEqual({
      code: "cdr/megatron-world-size",
      line: "job.yaml:21",
      text: "--tensor-model-parallel-size 3",
    });
  });

  it("$(NAME) is a variable of the container", () => {
    const env = `[{ name: TP, value: "3" }, ${connections.slice(1)}`;
    const command = `[bash, -c, "torchrun ${program(2).replace("parallel-size 2", "parallel-size $(TP)")}"]`;
    const codes = judged({ "job.yaml": pytorchJob(command, env) }).told.map(({ code }) => code);
    expect(codes).toContain("cdr/megatron-world-size");
    expect(judged({ "job.yaml": pytorchJob(command, env.replace('"3"', '"2"')) }).told).toEqual([]);
  });

  it("a Pod by itself has one", () => {
    const command = `[torchrun, --nproc-per-node=8, ${program(3).split(" ").join(", ")}]`;
    const pod =
      `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n  restartPolicy: Never\n  containers:\n    - name: a\n` +
      `      image: x:1\n      resources: { limits: { nvidia.com/gpu: 8 } }\n      command: ${command}\n`;
    const { told, world } = judged({ "pod.yaml": pod });
    expect(world).toBe(8);
    expect(told).toContainEqual({ code: "cdr/megatron-world-size", line: "pod.yaml:10", text: "3" });
  });

  it("lines of YAML may end in CRLF", () => {
    const manifest = pytorchJob(`[bash, -c, "torchrun ${program(2)}"]`).replaceAll("\n", "\r\n");
    expect(judged({ "job.yaml": manifest }).told).toEqual([]);
  });
});

describe("torchrun without --nproc-per-node", () => {
  it.each([
    ["PET_NPROC_PER_NODE=8", 8],
    ["PET_NPROC_PER_NODE=8 PET_NNODES=2 PET_RDZV_ENDPOINT=a:1 PET_RDZV_BACKEND=c10d", 16],
    ["PET_NPROC_PER_NODE=$(nvidia-smi -L | wc -l)", null],
    ["UNUSED=1", 1],
  ])("reads %s", (variables, size) => {
    const script = `export CUDA_DEVICE_MAX_CONNECTIONS=1 ${variables}\ntorchrun ${program(1)}\n`;
    expect(judged({ "run.sh": script })).toEqual({ told: [], world: size });
  });

  it("says nothing of a batch that nobody wrote where ranks are too few", () => {
    const { told } = judged({ "run.sh": `export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun ${program(2)}\n` });
    expect(told.map(({ code }) => code)).toEqual(["cdr/megatron-world-size"]);
  });
});

it("a shell that torchrun starts for each rank starts its program on each", () => {
  const script = (tensor: number): string =>
    `export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc-per-node=8 --no-python bash -c 'exec python ${program(tensor)}'\n`;
  expect(judged({ "run.sh": script(2) })).toEqual({ told: [], world: 8 });
  expect(judged({ "run.sh": script(3) }).told.map(({ code }) => code)).toContain("cdr/megatron-world-size");
});
