/** Ranks that accelerate has share a sample: the batch is the same with them, and what they shared is told. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

function imported(sizes: Readonly<Record<string, number>>, accumulation = 4) {
  const grid = Object.entries(sizes).map(([name, size]) => `  parallelism_config_${name}_size: ${size}\n`);
  const accelerate =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\n" +
    `mixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\nparallelism_config:\n${grid.join("")}`;
  const script =
    "accelerate launch --config_file acc.yaml sft.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2 " +
    `--gradient_accumulation_steps ${accumulation} --max_length 4096 --bf16 --learning_rate 1e-5 --output_dir out --max_steps 100\n`;
  const sources = [
    { path: "run.sh", text: script },
    { path: "acc.yaml", text: accelerate },
  ];
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const { text, diagnostics, guesses } = importLaunch(sources, { supplied, launch: null }, () => undefined);
  return {
    text: text ?? "",
    left: diagnostics.flatMap(({ code, message }) =>
      code === "cdr/import-left-out" && message.includes("parallelism") ? [message.replace(/ is not in.*$/, "")] : [],
    ),
    errors: diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    guesses: guesses.map((each) => JSON.stringify(each)).join("\n"),
  };
}

it.each([
  [{ dp_shard: 4, tp: 2 }, "tensor parallelism over 2 ranks"],
  [{ dp_shard: 2, cp: 4 }, "context parallelism over 4 ranks"],
])("samples that several ranks share are counted once: %j", (sizes, told) => {
  const { text, left, errors, guesses } = imported(sizes);
  expect(text).toMatch(new RegExp(`batch += ${2 * 4 * sizes.dp_shard} samples`));
  expect(left).toEqual([told]);
  expect(guesses).toContain("it was with");
  expect(errors).toEqual([]);
});

it("a micro-batch that would be too much for ranks of their own is made smaller, and marked", () => {
  const { text, errors } = imported({ dp_shard: 4, tp: 2 }, 1);
  expect(text).toMatch(/batch += 8 samples/);
  expect(text).toMatch(/micro_batch = 1 samples? {2}\/\/ guessed: each rank has its own samples/);
  expect(errors).toEqual([]);
});

it("replicas beside shards are torch's, and nothing is left out", () => {
  const { text, left, errors } = imported({ dp_replicate: 2, dp_shard: 4 });
  expect(text).toContain("engine    = torch(shard_over = 4)");
  expect(text).toMatch(/batch += 64 samples/);
  expect([...left, ...errors]).toEqual([]);
});

it("a grid of shards alone is all ranks", () => {
  const { text, left } = imported({ dp_shard: 8, tp: 1, cp: 1 });
  expect(text).toMatch(/engine += torch\n/);
  expect(text).toMatch(/batch += 64 samples/);
  expect(left).toEqual([]);
});

function fromJson(config: object, script: string, world: number | null = null) {
  const sources = [
    { path: "run.sh", text: script },
    { path: "ds.json", text: JSON.stringify({ bf16: { enabled: true }, ...config }) },
  ];
  const supplied = { world, gpusPerNode: null, gpu: "h100" };
  return importLaunch(sources, { supplied, launch: null }, () => undefined);
}

const batches = { train_batch_size: 64, train_micro_batch_size_per_gpu: 4, gradient_accumulation_steps: 2 };

it.each([
  [batches, "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n"],
  [
    { train_batch_size: "auto", train_micro_batch_size_per_gpu: "auto", gradient_accumulation_steps: "auto" },
    "deepspeed --num_gpus 8 sft.py --deepspeed ds.json --per_device_train_batch_size 4 --gradient_accumulation_steps 2 --output_dir out --bf16\n",
  ],
])(
  "DeepSpeed's tensor-parallel ranks read the same samples, whatever its train_batch_size says: %j",
  (config, script) => {
    const plain = fromJson(config, script);
    expect(plain.text).toMatch(/batch += 64 samples/);
    const { text, guesses } = fromJson({ ...config, tensor_parallel: { autotp_size: 2 } }, script);
    expect(text).toMatch(/batch += 32 samples/);
    expect(JSON.stringify(guesses)).toContain("it was with tensor parallelism of 2");
  },
);

it("ranks that follow from the batch are marked as guessed", () => {
  const { text } = fromJson(batches, "deepspeed --hostfile $HOSTS train.py --deepspeed_config ds.json\n");
  expect(text).not.toContain("the batch depends on");
  const more = fromJson(
    { ...batches, train_batch_size: 128 },
    "deepspeed --hostfile $HOSTS train.py --deepspeed_config ds.json\n",
  );
  expect(more.text).toMatch(/nodes = 2 +\/\/ guessed: the batch depends on 16 ranks/);
  const told = fromJson({ ...batches, train_batch_size: 128 }, "deepspeed train.py --deepspeed_config ds.json\n", 16);
  expect(told.text).not.toContain("the batch depends on");
});
