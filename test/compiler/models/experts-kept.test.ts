import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { builtBy } from "../../../compiler/models/build.ts";
import { families } from "../../../compiler/models/index.ts";
import { savedBytesPerToken } from "../../../compiler/models/measure.ts";
import { size } from "../../../compiler/passes/size.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython, python } from "../../support/python.ts";

const sequence = 192;
const shape = { d_model: 256, heads: 4, vocab: 300, context: 256, "moe.experts": 8, "moe.top_k": 2, "moe.d_ff": 600 };

/** How each engine runs a precision, in the script's words. */
const modes = [
  ["fp32", engines.torch.widths("fp32")],
  ["autocast", engines.torch.widths("bf16")],
  ["sharded", engines.torch.widths("bf16", true)],
  ["bf16", engines.deepspeed.widths("bf16")],
] as const;

it.runIf(hasPython)(
  "layers with experts keep what is stated of them, but for what counts and sorts their tokens",
  () => {
    const runs = (["mixtral", "qwen3_moe"] as const).flatMap((family) =>
      modes.map(([mode, widths]) => {
        const models = [1, 2].map((layers) => {
          const { model } = size(modelRequest(family, { ...shape, head_dim: 64, layers }));
          if (model === null) throw new Error(`${family} does not build`);
          return { ...model, build: builtBy(families[family], model) };
        });
        return { family, mode, widths, models };
      }),
    );
    const script = join(import.meta.dirname, "../../support/saved.py");
    const input = JSON.stringify(runs.map(({ models, mode }) => ({ models, mode, sequence, attention: "sdpa" })));
    const found = JSON.parse(
      execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }),
    ) as number[];
    const off = runs.map(({ family, mode, widths, models }, i) => {
      const [model] = models;
      if (model === undefined) throw new Error(family);
      const kept = savedBytesPerToken(families[family], model, widths, { materialised: false, sequence });
      return { run: `${family} ${mode}`, off: Math.abs((found[i] ?? NaN) / kept - 1) };
    });
    expect(off.filter(({ off }) => !(off < 0.01))).toEqual([]);
  },
  180_000,
);
