/** What the elastic training of DeepSpeed 0.19.5 answers: its batch and micro-batch, or that it refuses the number of ranks. */
import { expect, it } from "vitest";
import { elastic } from "../../../../compiler/engines/deepspeed/elasticity.ts";
import { isSection, valueOf, type Section } from "../../../../compiler/engines/deepspeed/value.ts";

function configuration(section: object): Section {
  const config = valueOf({ elasticity: { enabled: true, ...section } });
  if (!isSection(config)) throw new Error("an object");
  return config;
}

it.each([
  [{ max_train_batch_size: 64, micro_batch_sizes: [3], version: 0.1, prefer_larger_batch: true }, 2, 36, 3],
  [
    {
      max_train_batch_size: 100,
      micro_batch_sizes: [2, 12, 16],
      version: 0.1,
      prefer_larger_batch: false,
      max_gpus: 1500,
    },
    16,
    96,
    2,
  ],
  [
    {
      max_train_batch_size: 2000,
      micro_batch_sizes: [1, 2, 8],
      version: 0.1,
      prefer_larger_batch: true,
      min_gpus: 2,
      max_gpus: 16,
    },
    12,
    1680,
    2,
  ],
  [
    {
      max_train_batch_size: 5000,
      micro_batch_sizes: [16, 12, 12, 4],
      version: 0.1,
      prefer_larger_batch: true,
      max_gpus: 16,
    },
    12,
    3360,
    4,
  ],
  [
    { max_train_batch_size: 500, micro_batch_sizes: [7, 16], version: 0.1, prefer_larger_batch: true, min_gpus: 1 },
    6,
    420,
    7,
  ],
  [
    {
      max_train_batch_size: 500,
      micro_batch_sizes: [8],
      version: 0.2,
      prefer_larger_batch: true,
      num_gpus_per_node: 4,
      model_parallel_size: 1,
    },
    4,
    384,
    8,
  ],
  [
    {
      max_train_batch_size: 100000,
      micro_batch_sizes: [12],
      version: 0.2,
      prefer_larger_batch: true,
      min_gpus: 1,
      num_gpus_per_node: 4,
      model_parallel_size: 1,
    },
    6,
    99936,
    12,
  ],
  [
    {
      max_train_batch_size: 2000,
      micro_batch_sizes: [5, 5],
      version: 0.2,
      prefer_larger_batch: true,
      min_gpus: 2,
      num_gpus_per_node: 1,
      model_parallel_size: 1,
    },
    16,
    2000,
    5,
  ],
  [
    {
      max_train_batch_size: 500,
      micro_batch_sizes: [5, 1, 5, 3],
      version: 0.2,
      prefer_larger_batch: true,
      max_gpus: 64,
      num_gpus_per_node: 8,
      model_parallel_size: 1,
    },
    16,
    480,
    5,
  ],
  [
    {
      max_train_batch_size: 100000,
      micro_batch_sizes: [5],
      version: 0.2,
      prefer_larger_batch: true,
      min_gpus: 8,
      num_gpus_per_node: 2,
      model_parallel_size: 1,
    },
    100,
    100000,
    5,
  ],
  [
    {
      max_train_batch_size: 2000,
      micro_batch_sizes: [3, 2],
      version: 0.2,
      prefer_larger_batch: false,
      min_gpus: 2,
      max_gpus: 16,
      num_gpus_per_node: 8,
      model_parallel_size: 1,
    },
    6,
    1992,
    2,
  ],
  [
    {
      max_train_batch_size: 100000,
      micro_batch_sizes: [5, 3, 7, 6],
      version: 0.2,
      prefer_larger_batch: false,
      min_gpus: 32,
      max_gpus: 64,
      num_gpus_per_node: 4,
      model_parallel_size: 1,
    },
    64,
    60480,
    7,
  ],
  [
    {
      max_train_batch_size: 5000,
      micro_batch_sizes: [8, 12, 4],
      version: 0.1,
      prefer_larger_batch: false,
      min_gpus: 32,
      max_gpus: 64,
    },
    8,
    null,
    null,
  ],
  [
    {
      max_train_batch_size: 3000000,
      micro_batch_sizes: [6],
      version: 0.1,
      prefer_larger_batch: true,
      min_gpus: 1,
      max_gpus: 4,
    },
    16,
    null,
    null,
  ],
  [
    {
      max_train_batch_size: 64,
      micro_batch_sizes: [8, 1, 6, 4],
      version: 0.1,
      prefer_larger_batch: false,
      min_gpus: 32,
    },
    4,
    null,
    null,
  ],
  [
    {
      max_train_batch_size: 500,
      micro_batch_sizes: [12],
      version: 0.1,
      prefer_larger_batch: false,
      min_gpus: 2,
      max_gpus: 4,
    },
    12,
    null,
    null,
  ],
] as const)("%j on %i ranks", (section, world, batch, micro) => {
  const { config, findings } = elastic("0.19.5", configuration(section), world);
  if (batch === null) expect(findings.map(({ path }) => path)).toEqual(["elasticity"]);
  else {
    expect(findings).toEqual([]);
    expect([config.get("train_batch_size"), config.get("train_micro_batch_size_per_gpu")]).toEqual([batch, micro]);
  }
});

it("is nothing to the releases that have none, and where nobody asks for it", () => {
  const config = configuration({ max_train_batch_size: 8, micro_batch_sizes: [8] });
  expect(elastic("0.19.8", config, 3)).toEqual({ config, findings: [] });
  const off = configuration({ enabled: false });
  expect(elastic("0.19.5", off, 3)).toEqual({ config: off, findings: [] });
});
