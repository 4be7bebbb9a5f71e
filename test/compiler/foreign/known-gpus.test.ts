import { expect, it } from "vitest";
import { isKnownGpu } from "../../../compiler/foreign/known/gpus.ts";

it.each(
  "h100 H100-SXM NVIDIA-A100-SXM4-80GB a100_40gb gh200 b200 rtx4090 rtx_3090 mi300 mi300x l40s t4 V100 p5.48xlarge b300 gb300 h20 rtx5090 mi355x a10".split(
    " ",
  ),
)("%s is a GPU", (name) => {
  expect(isKnownGpu(name)).toBe(true);
});

it.each(["banana", "h101", "h10", "a", "100", ""])("%j is none", (name) => {
  expect(isKnownGpu(name)).toBe(false);
});
