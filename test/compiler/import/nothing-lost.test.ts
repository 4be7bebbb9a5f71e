/** What a launch says is written, or told: no setting of a tool's is lost because its value is one that nobody expected. */
import { describe, expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

function imported(files: Readonly<Record<string, string>>) {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const supplied = { world: 8, gpusPerNode: null, gpu: "h100" };
  const made = importLaunch(sources, { supplied, launch: null }, () => undefined);
  const errors = [...made.diagnostics, ...made.problems].filter(({ severity }) => severity === "error");
  return {
    text: made.text ?? "",
    changed: made.changed,
    errors: errors.map(({ code }) => code),
    told: made.diagnostics.map(({ message }) => message),
  };
}

const words =
  "train.py --model_name_or_path Qwen/Qwen3-8B --dataset_name imdb --output_dir out --per_device_train_batch_size 2 --max_steps 1000 --max_length 1024";
const script = (more: string, start = "torchrun --nproc_per_node 8"): string => `${start} ${words} ${more}\n`;

describe("DeepSpeed's optimizer has its own defaults: the Trainer fills in what is auto", () => {
  const optimizer = (params: object): string => {
    const config = {
      bf16: { enabled: true },
      train_micro_batch_size_per_gpu: "auto",
      gradient_accumulation_steps: "auto",
      optimizer: { type: "AdamW", params },
      zero_optimization: { stage: 2 },
    };
    const options = "--bf16 --deepspeed z.json --learning_rate 3e-4 --weight_decay 0.1 --adam_beta2 0.95";
    const { text } = imported({ "run.sh": script(options), "z.json": JSON.stringify(config) });
    return /optimizer += adamw\((.*)\)/.exec(text)?.[1] ?? "";
  };
  it.each([
    [{}, "lr = 1e-3, betas = [0.9, 0.999], eps = 1e-8, weight_decay = 0"],
    [{ lr: 3e-4 }, "lr = 3e-4, betas = [0.9, 0.999], eps = 1e-8, weight_decay = 0"],
    [
      { lr: "auto", betas: "auto", weight_decay: "auto" },
      "lr = 3e-4, betas = [0.9, 0.95], eps = 1e-8, weight_decay = 0.1",
    ],
    [{ lr: 3e-4, torch_adam: true }, "lr = 3e-4, betas = [0.9, 0.999], eps = 1e-8, weight_decay = 0.01"],
  ])("%j", (params, expected) => {
    expect(optimizer(params)).toBe(expected);
  });
});

it.each([
  [{ bias_correction: false }, ["optimizer.params.bias_correction false"]],
  [{ bias_correction: true, betas: [0.9, 0.95] }, []],
  [{ own: 3 }, ["optimizer.params.own 3"]],
])("parameters of DeepSpeed's optimizer: %j", (params, expected) => {
  const config = { train_micro_batch_size_per_gpu: 2, optimizer: { type: "AdamW", params: { lr: 1e-5, ...params } } };
  const { changed } = imported({ "run.sh": script("--deepspeed z.json"), "z.json": JSON.stringify(config) });
  expect(changed.filter((what) => what.startsWith("optimizer"))).toEqual(expected);
});

const accelerate = (more = ""): string =>
  `compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n${more}num_machines: 1\nnum_processes: 8\n`;

describe("accelerate", () => {
  const start = "accelerate launch --config_file acc.yaml";
  it("eight bits are told, and the rest is in bf16", () => {
    const { text, changed } = imported({
      "run.sh": script("", start),
      "acc.yaml": accelerate().concat("mixed_precision: fp8\n"),
    });
    expect(text).toMatch(/precision += bf16/);
    expect(changed).toContain("mixed_precision fp8");
  });
  it("the Trainer accumulates as it is told itself", () => {
    const files = { "run.sh": script("", `${start} --gradient_accumulation_steps 8`), "acc.yaml": accelerate() };
    expect(imported(files).text).toMatch(/batch += 16 samples/);
  });
  it("every key is told, but for what the training program does too", () => {
    const more =
      "  fsdp_ignored_modules: lm_head\n  fsdp_backward_prefetch: BACKWARD_PRE\n  fsdp_use_orig_params: false\ngpu_ids: 0,1,2,3\ndebug: true\nenable_cpu_affinity: true\nmain_process_port: 29501\n";
    expect(imported({ "run.sh": script("", start), "acc.yaml": accelerate(more) }).changed).toEqual([
      "the program train.py",
      "fsdp_ignored_modules",
      "fsdp_use_orig_params",
      "gpu_ids",
      "debug",
      "enable_cpu_affinity",
    ]);
  });
});

describe("LLaMA-Factory", () => {
  const made = (more: string) =>
    imported({
      "sft.yaml": `model_name_or_path: Qwen/Qwen3-8B\nstage: sft\ndo_train: true\ndataset: identity\ntemplate: qwen3\noutput_dir: saves/x\nbf16: true\nmax_steps: 100\n${more}`,
    });
  it("adapters and recomputing are its own where nobody names them", () => {
    const { text, errors } = made("finetuning_type: lora\n");
    expect(text).toMatch(/adapters += lora\(rank = 8, alpha = 16, targets = \[all\]\)\n/);
    expect(text).toContain("recompute = full");
    expect(errors).toEqual([]);
    expect(made("finetuning_type: lora\ndisable_gradient_checkpointing: true\n").text).toContain("recompute = none");
  });
  it.each([
    ["finetuning_type: oft\n", "training by oft"],
    ["finetuning_type: lora\nquantization_bit: 8\n", "quantization_bit"],
  ])("%s", (more, what) => {
    expect(made(more).changed).toContain(what);
  });
  it("says nothing of what is written", () => {
    const more = "finetuning_type: lora\nquantization_bit: 4\nflash_attn: fa2\ngradient_checkpointing: true\n";
    const { text, changed } = made(more);
    expect(changed).toEqual(["stage", "template"]);
    expect(text).toMatch(/attention += flash/);
  });
});

it("Axolotl's words for what is recomputed, adapted and kept", () => {
  const { text, changed } = imported({
    "axolotl.yaml":
      "base_model: Qwen/Qwen3-8B\ndatasets:\n  - path: a/b\n    type: completion\nadapter: qlora\nload_in_4bit: true\nlora_r: 16\nlora_alpha: 32\n" +
      "lora_target_linear: true\nmicro_batch_size: 2\nlearning_rate: 0.0002\ngradient_checkpointing: offload\nsave_total_limit: 2\nflash_attention: true\n",
  });
  expect(text).toContain("targets = [all]");
  expect(text).toContain("recompute = full");
  expect(text).toMatch(/attention += flash/);
  expect(changed).toEqual([
    "gradient_checkpointing offload",
    "save_strategy epoch (the program's default)",
    "save_total_limit",
  ]);
});

it("targets that no file names are marked", () => {
  expect(imported({ "run.sh": script("--use_peft --lora_r 16 --lora_alpha 32") }).text).toMatch(
    /targets = \[q, v\]\) {2}\/\/ guessed: the targets/,
  );
});

it.each([
  ["cosine_with_min_lr", '{"min_lr_rate": 0.1}', "cosine(to = 10%)"],
  ["cosine_with_min_lr", '{"min_lr": 5e-6}', "cosine(to = 10%)"],
  ["warmup_stable_decay", '{"num_decay_steps": 200, "decay_type": "linear"}', "wsd(cooldown = 200 steps)"],
  [
    "warmup_stable_decay",
    '{"num_decay_steps": 200}',
    "wsd(cooldown = 200 steps)  // guessed: the decay is a line here, but was cosine",
  ],
  ["inverse_sqrt --warmup_steps 20", "{}", "inverse_sqrt(warmup = 20 steps)"],
  ["inverse_sqrt", "{}", "inverse_sqrt  // guessed: its time scale was 10000 steps"],
])("%s %s", (type, kwargs, schedule) => {
  const { text, changed } = imported({
    "run.sh": script(`--lr_scheduler_type ${type} --lr_scheduler_kwargs '${kwargs}'`),
  });
  expect(/schedule += (.*)/.exec(text)?.[1]).toBe(schedule);
  expect(changed.filter((what) => what.includes("kwargs"))).toEqual(kwargs === "{}" ? ["--lr_scheduler_kwargs"] : []);
});

it.each([
  ["--bf16 --fp16", "cdr/trainer-precision"],
  ["--bf16 --per_device_train_batch_size 0", ""],
])("a launch with an error is imported with it: %s", (options, code) => {
  const { text, errors } = imported({ "run.sh": script(options) });
  expect(text).not.toBe("");
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.join(" ")).toContain(code);
});

it("what an alias of a manifest stands for is told as if it were written out", () => {
  const template = `{ spec: { hostIPC: true, schedulerName: volcano, containers: [ { name: pytorch, image: "a:1", imagePullPolicy: Always, command: [torchrun, ${words
    .split(" ")
    .map((word) => `"${word}"`)
    .join(", ")}], resources: { limits: { nvidia.com/gpu: 8 } } } ] } }`;
  const manifest = (first: string, second: string): string =>
    `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: { name: t }\nspec:\n  pytorchReplicaSpecs:\n    Master: { replicas: 1, template: ${first} }\n    Worker: { replicas: 1, template: ${second} }\n`;
  const written = imported({ "job.yaml": manifest(template, template) }).changed;
  expect(written).toContain("`hostIPC`");
  expect(imported({ "job.yaml": manifest(`&t ${template}`, "*t") }).changed).toEqual(written);
});

it.each([
  ["srun singularity exec --nv -B /d img.sif torchrun --nproc_per_node 8", "`singularity exec …` around the program"],
  ["apptainer exec img.sif torchrun --nproc_per_node 8", "`apptainer exec …` around the program"],
  ["timeout 10h torchrun --nproc_per_node 8", "`timeout 10h …` around the program"],
  ["numactl -m 0 torchrun --nproc_per_node 8", "`numactl -m …` around the program"],
  ["cd /proj/foo\ntorchrun --nproc_per_node 8", "the folder /proj/foo"],
  ["torchrun --rdzv_conf timeout=900 --nproc_per_node 8", "torchrun --rdzv_conf"],
])("what a program is started through: %s", (start, what) => {
  const told = imported({ "run.sh": script("--bf16", start) }).told.map((message) => message.split(" is not in")[0]);
  expect(told).toContain(what);
});

it("says nothing of starters that change nothing", () => {
  const { told } = imported({ "run.sh": script("--bf16", "nohup env A=1 uv run torchrun --nproc_per_node 8") });
  expect(told.map((message) => message.split(" is not in")[0])).toEqual(["the program train.py"]);
});
