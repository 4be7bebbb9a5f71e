/** Each demand speaks up on its own example and stays silent on the example's mirror image; the base breaks none. */
import { describe, expect, it } from "vitest";
import type { Finding } from "../../../../compiler/engines/deepspeed/check.ts";
import { demands } from "../../../../compiler/engines/deepspeed/demands/index.ts";
import { tryExample } from "../../../../compiler/engines/deepspeed/example.ts";
import type { Launch } from "../../../../compiler/engines/deepspeed/launch.ts";
import type { Example } from "../../../../compiler/engines/deepspeed/step.ts";

const findings = (example: Example, unknown: readonly (keyof Launch)[] = []): readonly Finding[] =>
  tryExample(example, unknown).findings;
const codes = (found: readonly Finding[]): string[] => found.map(({ diagnostic }) => diagnostic.code);

it("finds nothing in the base", () => {
  expect(findings({})).toEqual([]);
});

it("gives every demand a code of its own", () => {
  const all = demands.map(({ diagnostic }) => diagnostic.code);
  expect(all.filter((code, at) => all.indexOf(code) !== at)).toEqual([]);
});

describe.each(demands.map((demand) => [demand.diagnostic.code, demand] as const))("%s", (code, { fires, silent }) => {
  it("fires", () => {
    expect(codes(findings(fires))).toContain(code);
  });
  it("stays silent on the mirror image", () => {
    expect(codes(findings(silent))).not.toContain(code);
  });
});

describe("what the launch doesn't say", () => {
  it("is neither right nor wrong", () => {
    const wrong = { train_batch_size: 36 };
    expect(codes(findings(wrong))).toContain("cdr/deepspeed-batch-product");
    expect(codes(findings(wrong, ["world"]))).toEqual([]);
    expect(codes(findings(wrong, ["model"]))).toEqual([]);
    expect(codes(findings({ $without: ["optimizer"] }, ["clientOptimizer"]))).toEqual([]);
  });
});

it("sizes that no number of ranks brings together are wrong wherever they run", () => {
  const wrong = { train_batch_size: 30 };
  expect(codes(findings(wrong, ["world", "model"]))).toEqual(["cdr/deepspeed-batch-product"]);
  expect(codes(findings({ ...wrong, sequence_parallel_size: 3 }, ["world", "model"]))).toEqual([]);
});

describe("sections that a class reads", () => {
  it.each([
    [{ zero_optimization: { stage: "2" } }, []],
    [{ zero_optimization: { stage: true } }, []],
    [{ zero_optimization: { reduce_bucket_size: 5e8 } }, []],
    [{ zero_optimization: { overlap_comm: "Yes" } }, []],
    [{ zero_optimization: { reduce_bucket_size: "5e8" } }, ["cdr/deepspeed-value"]],
    [{ zero_optimization: { reduce_bucket_size: 0 } }, ["cdr/deepspeed-value"]],
    [{ zero_optimization: { stage: 4 } }, ["cdr/deepspeed-value"]],
    [{ zero_optimization: { _comment: "copied" } }, ["cdr/deepspeed-key"]],
    [{ zero_optimization: { mics_shard_size: 8 } }, ["cdr/deepspeed-removed"]],
    [
      { zero_optimization: { stage: 3, cpu_offload_param: false, offload_param: null } },
      ["cdr/deepspeed-both", "cdr/deepspeed-no-effect"],
    ],
    [{ zero_optimization: { cpu_offload: true } }, ["cdr/deepspeed-deprecated"]],
    [{ zero_optimization: { reduce_bucket_size: "auto" } }, ["cdr/deepspeed-auto"]],
    [{ fp16: { min_loss_scale: "1.0" } }, ["cdr/deepspeed-value"]],
    [{ tensorboard: true }, ["cdr/deepspeed-shape"]],
    [{ amp: { enabled: false } }, ["cdr/deepspeed-removed"]],
  ] as const)("%j", (example, expected) => {
    expect(codes(findings(example))).toEqual(expected);
  });

  it("names the key that was meant", () => {
    expect(findings({ zero_optimization: { reduce_bucket: 1 } })[0]).toMatchObject({
      path: "zero_optimization.reduce_bucket",
      nearest: "reduce_bucket_size",
    });
  });
});

describe("keys that nothing reads", () => {
  it.each([
    [{ grandient_clipping: 1 }, "grandient_clipping", "gradient_clipping"],
    [{ "//": "a comment" }, "//", null],
    [{ activation_checkpointing: { enabled: true } }, "activation_checkpointing.enabled", null],
    [{ bfloat16: { enabled: true } }, "bfloat16", null],
    [{ data_parallel_size: 8 }, "data_parallel_size", null],
    [{ scheduler: { params: { warmup_num_steps: 5 } } }, "scheduler.params", null],
  ] as const)("%j", (example, path, nearest) => {
    expect(codes(findings(example))).toEqual(["cdr/deepspeed-ignored"]);
    expect(findings(example)).toMatchObject([{ path, nearest }]);
  });

  it("says where a key belongs", () => {
    expect(findings({ load_universal: true })[0]?.message).toBe(
      "nothing reads load_universal: it belongs to checkpoint.load_universal",
    );
  });
});

describe("keys without effect beside what else is written", () => {
  const offload = (section: object, stage = 3): Example => ({ zero_optimization: { stage, ...section } });
  const fp16 = (section: object): Example => ({ bf16: { enabled: false }, fp16: { enabled: true, ...section } });
  const write: Example = { checkpoint: { parallel_write: { pipeline_stage: true } } };
  it.each([
    [
      offload({ offload_param: { device: "cpu", nvme_path: "/x", max_in_cpu: 9, pin_memory: true } }),
      ["nvme_path", "max_in_cpu"],
    ],
    [offload({ offload_param: { device: "nvme", nvme_path: "/x", max_in_cpu: 9 } }), []],
    [offload({ offload_param: { device: "none", nvme_path: "none" } }), []],
    [offload({ offload_param: { device: "cpu", buffer_count: 3 } }, 2), ["offload_param"]],
    [offload({ offload_optimizer: { device: "cpu", pipeline_read: true, ratio: 0.5 } }), ["pipeline_read"]],
    [offload({ offload_optimizer: { device: "cpu", pipeline_read: false } }), []],
    [fp16({ loss_scale: 128, loss_scale_window: 100, hysteresis: 1 }), ["loss_scale_window", "hysteresis"]],
    [fp16({ loss_scale: 0, loss_scale_window: 100 }), []],
    [
      offload(
        { stage3_gather_16bit_weights_on_model_save: true, stage3_prefetch_bucket_size: 1e7, sub_group_size: 1e9 },
        2,
      ),
      ["stage3_gather_16bit_weights_on_model_save", "stage3_prefetch_bucket_size", "sub_group_size"],
    ],
    [
      offload({ stage3_gather_16bit_weights_on_model_save: true, stage3_max_reuse_distance: 0, sub_group_size: 1e9 }),
      [],
    ],
    [{ ...offload({ offload_optimizer: { device: "cpu" } }), aio: { thread_count: 1 } }, ["aio"]],
    [{ ...offload({ offload_optimizer: { device: "nvme", nvme_path: "/x" } }), aio: { block_size: 1048576 } }, []],
    [{ ...offload({}, 2), aio: { block_size: 1048576 }, checkpoint: { writer: { type: "FAST" } } }, []],
    [write, ["pipeline_stage"]],
    [{ ...write, $model: "pipeline:2", zero_optimization: { stage: 1 } }, []],
  ] as const)("%j", (example, keys) => {
    const idle = findings(example).filter(({ diagnostic }) => diagnostic.code === "cdr/deepspeed-no-effect");
    expect(idle.map(({ path }) => path.split(".").at(-1))).toEqual(keys);
  });

  it("is not said of what nobody knows", () => {
    expect(codes(findings(write, ["model"]))).toEqual([]);
  });
});
