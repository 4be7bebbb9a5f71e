/** Launches that nothing is wrong with, and what is said where something is not known. */
import { describe, expect, it } from "vitest";
import { bases } from "../../../compiler/engines/megatron/bases.ts";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import type { Base } from "../../../compiler/engines/megatron/step.ts";
import { positionAt } from "../../../dsl/source/source.ts";

const nobody = { world: null, gpusPerNode: null, gpu: null };
type Files = Readonly<Record<string, string>>;
const check = (
  files: Files,
  supplied: typeof nobody | Parameters<typeof checkForeign>[1] = nobody,
  beside: Files = {},
) =>
  checkForeign(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    supplied,
    (path) => (beside[path] === undefined ? undefined : { path, text: beside[path] }),
  );
const lines = (found: ReturnType<typeof check>) =>
  found.diagnostics.map(
    ({ code, span }) => `${code} ${span.source.path}:${positionAt(span.source, span.start).line + 1}`,
  );

const programs: Readonly<Partial<Record<Base, string>>> = { hybrid: "pretrain_mamba.py", rl: "train_rl.py" };

describe("accepted launches of Megatron are accepted from a script", () => {
  it.each((Object.keys(bases) as Base[]).filter((base) => !base.endsWith("less")))("%s", (base) => {
    const text = `#!/bin/bash\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\nARGS="${bases[base]}"\ntorchrun --nproc_per_node 8 ${programs[base] ?? "pretrain_gpt.py"} $ARGS\n`;
    const { diagnostics } = check({ "train.sh": text }, { ...nobody, gpu: "h100" });
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

it("follows a batch script into the script that it starts, with what it exports", () => {
  const files = {
    "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=4\nexport GPUS=8\nsrun train.sh ds.json\n",
    "train.sh":
      "#!/bin/bash\ntorchrun --nnodes=$SLURM_NNODES --nproc_per_node=$GPUS --rdzv-backend=c10d --rdzv-endpoint=$H:1 train.py --deepspeed $1\n",
  };
  const found = check(files);
  expect(lines(found)).toContain("cdr/slurm-processes train.sh:2");
});

it("reads a DeepSpeed JSON that a script writes, and one that lies beside it", () => {
  const body =
    '{\n  "train_batch_size": 30,\n  "train_micro_batch_size_per_gpu": 4,\n  "zero_optimization": { "stage": 1 }\n}\n';
  const script = `#!/bin/bash\ncat > ds.json <<EOF\n${body}EOF\ndeepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n`;
  expect(
    lines(check({ "run.sh": script })).some(
      (each) => each.startsWith("cdr/deepspeed-") && each.endsWith(" run.sh:4"),
    ),
  ).toBe(true);
  const named = "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n";
  expect(
    lines(check({ "run.sh": named }, nobody, { "ds.json": body })).some((each) => each.endsWith(" ds.json:2")),
  ).toBe(true);
});

it("says once what nobody knows, and takes it from the command line", () => {
  const text = `torchrun --nnodes=$N --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$H:1 pretrain_gpt.py ${bases.gpt}\n`;
  const unknown = (found: ReturnType<typeof check>) =>
    found.diagnostics.filter(({ code }) => code === "cdr/foreign-unknown").map(({ message }) => message);
  expect(unknown(check({ "run.sh": text }))).toEqual([
    "the number of ranks is unknown: --nnodes is $N. Give it with `--world N`",
    "the GPU is unknown. Give it with `--gpu NAME`",
  ]);
  expect(unknown(check({ "run.sh": text }, { world: 16, gpusPerNode: null, gpu: "h100" }))).toEqual([]);
  const wrong = check({ "run.sh": text }, { world: 24, gpusPerNode: null, gpu: "h100" });
  expect(lines(wrong)).toContain("cdr/megatron-evaluation-batch run.sh:1");
});

it("says what each file was taken for", () => {
  const { kinds } = check({
    a: "#!/bin/bash\ntorchrun train.py\n",
    b: '{ "zero_optimization": { "stage": 2 } }',
    c: "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n",
    d: "output_dir: o\nper_device_train_batch_size: 1\n",
    e: "stage: sft\nfinetuning_type: lora\nper_device_train_batch_size: 1\n",
    f: "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\n",
    g: "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n",
    h: "pipe-parallel-size: 1\nmodel-parallel-size: 1\n",
  });
  expect(kinds).toMatchInlineSnapshot(`
    [
      {
        "kind": "a shell or sbatch script",
        "path": "a",
      },
      {
        "kind": "a DeepSpeed configuration",
        "path": "b",
      },
      {
        "kind": "an accelerate configuration",
        "path": "c",
      },
      {
        "kind": "TrainingArguments of transformers",
        "path": "d",
      },
      {
        "kind": "a LLaMA-Factory configuration",
        "path": "e",
      },
      {
        "kind": "an Axolotl configuration",
        "path": "f",
      },
      {
        "kind": "a Kubernetes manifest",
        "path": "g",
      },
      {
        "kind": "a GPT-NeoX configuration",
        "path": "h",
      },
    ]
  `);
});

it("says once that the ranks do not divide, where the model has no experts", () => {
  const script = `torchrun --nproc_per_node 8 pretrain_gpt.py ${bases.gpt ?? ""} --pipeline-model-parallel-size 3\n`;
  const found = check({ "run.sh": script }).diagnostics.map(({ code }) => code);
  expect(found.filter((code) => code.endsWith("world-size"))).toEqual(["cdr/megatron-world-size"]);
});

it("warns where several nodes have no rank, which the environment may give", () => {
  const script = "torchrun --nnodes=16 --nproc_per_node=8 --master_addr=$HEAD train.py\n";
  const found = check({ "run.sh": script }).diagnostics.filter(({ code }) => code === "cdr/torchrun-endpoint");
  expect(found.map(({ severity }) => severity)).toEqual(["warning"]);
});

it("follows a command of accelerate into the file that it names, which says how many ranks there are", () => {
  const script = "accelerate launch --config_file acc.yaml train.py\n";
  const acc = "distributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\n";
  const { launch, diagnostics } = check({ "run.sh": script }, nobody, { "acc.yaml": acc });
  expect(launch.world).toMatchObject({ size: 16, nodes: 2, perNode: 8 });
  expect(diagnostics.filter(({ code }) => code === "cdr/foreign-unknown")).toEqual([]);
});

it("says that a JSON begins with a byte order mark", () => {
  const { diagnostics } = check({ "ds.json": '\uFEFF{ "train_batch_size": 8 }' });
  expect(diagnostics[0]?.message).toContain("byte order mark (BOM)");
});

it("reads a manifest whose container runs a script as a manifest, and its pods as the ranks of the JSON beside it", () => {
  const manifest = `# four nodes\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: pretrain\nspec:\n  replicatedJobs:\n    - name: workers\n      template:\n        spec:\n          parallelism: 4\n          completions: 4\n          template:\n            spec:\n              containers:\n                - name: torch\n                  image: i\n                  command:\n                    - bash\n                    - -c\n                    - |\n                      torchrun --nproc_per_node=8 --nnodes=8 train.py\n                  resources:\n                    limits:\n                      nvidia.com/gpu: 8\n`;
  const ds = '{\n  "train_batch_size": 40,\n  "train_micro_batch_size_per_gpu": 2\n}\n';
  const found = check({ "job.yaml": manifest, "ds.json": ds });
  expect(found.kinds.map(({ kind }) => kind)).toContain("a Kubernetes manifest");
  expect(found.launch.world).toMatchObject({ size: 32, nodes: 4, perNode: 8 });
  expect(lines(found)).toContain("cdr/kubernetes-command-nodes job.yaml:22");
  expect(lines(found).some((each) => /^cdr\/deepspeed-.* ds\.json:2$/.test(each))).toBe(true);
});

it("takes what accelerate makes of the Trainer's optimizer where it is offloaded", () => {
  const ds =
    '{ "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 3, "offload_optimizer": { "device": "cpu" } } }';
  const run = (optim: string): string =>
    `deepspeed --num_gpus 8 train.py --deepspeed ds.json --output_dir out --per_device_train_batch_size 1${optim}\n`;
  const errors = (optim: string) =>
    check({ "run.sh": run(optim), "ds.json": ds }).diagnostics.filter(({ severity }) => severity === "error");
  expect(errors("")).toEqual([]);
  expect(errors(" --optim adafactor").length).toBe(1);
});

it("says a cut command, and a batch that two parts of the engine refuse, once", () => {
  const words = `torchrun --nproc_per_node 8 pretrain_gpt.py ${bases.gpt}`;
  const cut = `export CUDA_DEVICE_MAX_CONNECTIONS=1\n${words.replace(" --micro-batch-size", " \\ \n  --micro-batch-size")}\n`;
  const errors = (text: string) =>
    check({ "train.sh": text }).diagnostics.filter(({ severity }) => severity === "error");
  expect(errors(cut).map(({ code }) => code)).toContain("cdr/shell-blank-after-backslash");
  expect(errors(cut).filter(({ code }) => code.startsWith("cdr/megatron"))).toEqual([]);
  const batch = `export CUDA_DEVICE_MAX_CONNECTIONS=1\n${words} --global-batch-size 12\n`;
  expect(errors(batch).length).toBe(1);
});

it("tells of blanks around the = of an option, whatever stands around the program", () => {
  const text = "torchrun --nproc_per_node 8 train.py --lr = 3\nHF_HOME=/x srun python train.py --lr = 3\n";
  expect(lines(check({ "run.sh": text })).filter((each) => each.startsWith("cdr/shell-"))).toEqual([
    "cdr/shell-equals run.sh:1",
    "cdr/shell-equals run.sh:2",
  ]);
});

it("arguments that stand in a file of Megatron's are unknown, not missing", () => {
  const found = check({ "run.sh": "torchrun --nproc_per_node 8 pretrain_gpt.py --yaml-cfg a.yaml --lrr 1\n" });
  expect(found.diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    "info cdr/foreign-unknown",
    "info cdr/foreign-unknown",
    "error cdr/megatron-unrecognized",
  ]);
  expect(found.diagnostics.map(({ message }) => message).join("\n")).toContain(
    "--yaml-cfg takes every argument from a file",
  );
});

it("GPT-NeoX's own starter says no number of ranks", () => {
  const neox =
    "pipe-parallel-size: 1\nmodel-parallel-size: 2\ntrain_micro_batch_size_per_gpu: 4\ncheckpoint-factor: 100\n" +
    "optimizer: { type: Adam, params: { lr: 0.0006 } }\n";
  const found = check({ "a.yaml": neox, "run.sh": "python ./deepy.py train.py a.yaml\n" });
  expect(found.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});

it("what a misspelt argument was to say is not missing as well", () => {
  const text = `#!/bin/bash\ntorchrun --nproc_per_node 8 pretrain_gpt.py ${bases.gpt.replace("--hidden-size", "--hiden-size")}\n`;
  const { diagnostics } = check({ "train.sh": text }, { ...nobody, gpu: "h100" });
  expect(diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual([
    "Megatron has no argument --hiden-size; did you mean --hidden-size?",
  ]);
});
