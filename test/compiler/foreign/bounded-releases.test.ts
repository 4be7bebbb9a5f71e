/** A release that a specifier bounds is the newest that it admits of those that are known. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { newestAdmitted } from "../../../compiler/foreign/known/specifiers.ts";

const releases = ["0.9.0", "0.9.5", "0.14.5", "0.15.0", "0.15.3", "0.15.4", "0.16.0", "0.16.9", "0.19.8"];

it.each([
  ["<0.16", "0.15.4"],
  ["< 0.16", "0.15.4"],
  ["<=0.16", "0.16.0"],
  ["<=0.15.3", "0.15.3"],
  ["~=0.15.0", "0.15.4"],
  ["~=0.15", "0.19.8"],
  [">=0.14,<0.16", "0.15.4"],
  [">=0.14, <0.16, !=0.15.4", "0.15.3"],
  ["==0.15.*", "0.15.4"],
  ["!=0.19.*", "0.16.9"],
  [">0.9.0,<0.10", "0.9.5"],
  ["===0.15.3", "0.15.3"],
  [">=0.14", "0.19.8"],
  ["<0.9", null],
  ["<1a", null],
  ["~=1", null],
])("%s", (specifier, newest) => {
  expect(newestAdmitted(specifier, releases)).toBe(newest);
});

const config = JSON.stringify({
  train_batch_size: 8,
  amp: { enabled: true, opt_level: "O1" },
  zero_optimization: { stage: 0 },
  elasticity: { enabled: false },
});

function judged(
  install: string,
  requirements = "",
): { readonly errors: number; readonly versions: readonly string[] } {
  const files = [
    { path: "run.sh", text: `#!/bin/bash\n${install}\ndeepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n` },
    { path: "ds.json", text: config },
    ...(requirements === "" ? [] : [{ path: "requirements.txt", text: `${requirements}\n` }]),
  ];
  const { diagnostics, engines } = checkForeign(
    files,
    { world: null, gpusPerNode: null, gpu: null },
    () => undefined,
  );
  return {
    errors: diagnostics.filter(({ code }) => code === "cdr/deepspeed-removed").length,
    versions: engines.map(({ version }) => version),
  };
}

it.each([
  '"deepspeed<0.16"',
  "'deepspeed >= 0.14, < 0.16'",
  "deepspeed~=0.15.0",
  "deepspeed==0.15.*",
  '"deepspeed[all]<0.16"',
])("pip install %s takes what 0.15 takes", (word) => {
  expect(judged(`pip install ${word} "torch<2.5"`)).toEqual({ errors: 0, versions: ["0.15.4"] });
});

it.each([
  "deepspeed<0.16",
  "deepspeed>=0.14,<0.16",
  "torch==2.4.0\ndeepspeed~=0.15.0  # bound",
  'deepspeed<0.16; python_version < "3.12"',
])("requirements %s", (text) => {
  expect(judged("", text)).toEqual({ errors: 0, versions: ["0.15.4"] });
});

it("what admits the newest is judged by it", () => {
  for (const word of ['"deepspeed>=0.14"', "deepspeed", '"deepspeed!=0.18.0"', "deepspeed==0.19.8"])
    expect(judged(`pip install ${word}`)).toEqual({ errors: 2, versions: ["0.19.8"] });
  expect(judged("pip install 'deepspeed<0.16'", "deepspeed==0.19.8").errors).toBe(2);
});

it("Megatron by its series", () => {
  const start = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2";
  for (const [word, version] of [
    ["'megatron-core<0.13'", "0.12.3"],
    ["megatron-core~=0.12.1", "0.12.3"],
    ["'megatron-core>=0.11,<0.12.2'", "0.12.3"],
  ] as const) {
    const files = [{ path: "run.sh", text: `#!/bin/bash\npip install ${word}\n${start}\n` }];
    const { engines } = checkForeign(files, { world: null, gpusPerNode: null, gpu: null }, () => undefined);
    expect(
      engines.map((each) => each.version),
      word,
    ).toEqual([version]);
  }
});
