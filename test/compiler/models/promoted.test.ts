import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { activation } from "../../../compiler/models/build.ts";
import { mlp } from "../../../compiler/models/layers/mlp.ts";
import { families } from "../../../compiler/models/index.ts";
import { savedBytesOf } from "../../../compiler/models/measure.ts";
import { size } from "../../../compiler/passes/size.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython, python } from "../../support/python.ts";

const shapes = (["gelu", "gelu_tanh", "relu", "relu2", "silu"] as const).map((name) => {
  const { model } = size(
    modelRequest("gpt_neox", { layers: 1, d_model: 256, heads: 4, vocab: 300, context: 64, activation: name }),
  );
  return model ?? expect.fail(`a model with ${name} does not build`);
});

it.runIf(hasPython)("activations keep under CUDA's autocast what is stated of them", () => {
  const script = join(import.meta.dirname, "../../support/promoted.py");
  const input = JSON.stringify(shapes.map(activation));
  const found: unknown = JSON.parse(
    execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }),
  );
  const [base] = families.gpt_neox.layers;
  if (base === undefined) throw new Error("a model has layers");
  const widths = { compute: 2, residual: 4, promotes: true } as const;
  const stated = shapes.map((shape) => {
    const { saved, ...part } = mlp();
    const layer = { ...base, ...part, saved: saved.filter((each) => each.size === "d_ff") };
    return savedBytesOf(layer, shape, widths, { materialised: false, sequence: 1 }) / shape.d_ff;
  });
  expect(found).toEqual(stated);
});
