/** FSDP that keeps its states in host memory: what can be kept is, and the rest is told. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

const base =
  "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen3-8B --dataset_name imdb --output_dir out --per_device_train_batch_size 2 --bf16 --max_steps 100";

function imported(rest: string, files: Readonly<Record<string, string>> = {}) {
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const sources = Object.entries({ "run.sh": `${base} ${rest}\n`, ...files }).map(([path, text]) => ({ path, text }));
  const { text, changed } = importLaunch(sources, { supplied, launch: null }, () => undefined);
  return { text: text ?? "", changed };
}

const accelerate = (reshards: boolean): Readonly<Record<string, string>> => ({
  "run.sh": base.replace("torchrun --nproc_per_node 8", "accelerate launch --config_file acc.yaml") + "\n",
  "acc.yaml": `compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config:
  fsdp_version: 2
  fsdp_offload_params: true
  fsdp_reshard_after_forward: ${reshards}
mixed_precision: bf16
num_machines: 1
num_processes: 8
`,
});

it.each([
  ['--fsdp "full_shard auto_wrap offload"', {}, 3, "all", "FSDP"],
  ["--fsdp full_shard --fsdp_config.cpu_offload true", {}, 3, "all", "FSDP"],
  ["", accelerate(true), 3, "all", "FSDP"],
  ['--fsdp "shard_grad_op offload"', {}, 2, "optimizer", "FSDP's offload of weights"],
  ["", accelerate(false), 2, "optimizer", "FSDP's offload of weights"],
])("%s %j", (rest, files, stage, offload, told) => {
  const { text, changed } = imported(rest, files);
  expect(text).toMatch(/engine += deepspeed/);
  expect(text).toMatch(new RegExp(`zero_stage += ${stage}\n`));
  expect(text).toMatch(new RegExp(`offload += ${offload}\n`));
  expect(changed).toContain(told);
});

it("groups of ranks that share a copy are told where the offload takes their place", () => {
  const { text, changed } = imported('--fsdp "hybrid_shard offload"');
  expect(text).toMatch(/offload += all/);
  expect(changed).toEqual(expect.arrayContaining(["FSDP", "groups that share a copy"]));
});

it("an offload of what is not sharded is told", () => {
  const { text, changed } = imported('--fsdp "no_shard offload"');
  expect(text).toMatch(/engine += torch/);
  expect(changed).toContain("FSDP's CPU offload");
});

it("a switch that is off shards nothing", () => {
  expect(imported("--fsdp false").text).not.toContain("zero_stage");
});
