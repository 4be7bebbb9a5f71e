import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { builtBy } from "../../../compiler/models/build.ts";
import { families } from "../../../compiler/models/index.ts";
import { savedBytesPerToken } from "../../../compiler/models/measure.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../../compiler/pipeline.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython, python } from "../../support/python.ts";

type Values = Readonly<Record<string, Scalar>>;

const state = { "ssm.state": 40, "ssm.groups": 2, "ssm.head_dim": 32 };
const hybrid = { ...state, heads: 4, d_ff: 200 };

/** Sequences of several chunks, the last of which is not full. */
const cases: readonly (readonly [FamilyName, Values, tokens: number])[] = [
  ["mamba", { "ssm.state": 12 }, 24],
  ["mamba2", state, 640],
  ["bamba", hybrid, 640],
  ["nemotron_h", hybrid, 320],
];

const modes = [
  ["fp32", engines.torch.widths("fp32")],
  ["autocast", engines.torch.widths("bf16")],
  ["bf16", engines.deepspeed.widths("bf16")],
] as const;

/** Of one layer and of two. */
const modelsOf = (family: FamilyName, values: Values) =>
  [1, 2].map((layers) => {
    const pattern = "heads" in values ? { pattern: "M".repeat(layers) } : {};
    const { model } = size(modelRequest(family, { d_model: 128, vocab: 100, ...values, ...pattern, layers }));
    if (model === null) throw new Error(`${family} does not build`);
    return { ...model, build: builtBy(families[family], model) };
  });

describe("a recurrence in PyTorch's own operations", () => {
  it.runIf(hasPython)(
    "keeps what is stated of it, to the byte",
    () => {
      const runs = cases.flatMap(([family, values, sequence]) =>
        modes.map(([mode, widths]) => ({ models: modelsOf(family, values), family, mode, widths, sequence })),
      );
      const script = join(import.meta.dirname, "../../support/saved.py");
      const input = JSON.stringify(
        runs.map(({ models, mode, sequence }) => ({ models, mode, sequence, attention: "eager" })),
      );
      const measured = JSON.parse(
        execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }),
      ) as number[];
      const told = (bytes: (i: number) => number): string[] =>
        runs.map(({ family, mode, sequence }, i) => `${family} ${mode}: ${Math.round(sequence * bytes(i))}`);
      expect(told((i) => measured[i] ?? NaN)).toEqual(
        told((i) => {
          const run = runs[i];
          const model = run?.models[0];
          if (run === undefined || model === undefined) return NaN;
          const { family, widths, sequence } = run;
          return savedBytesPerToken(families[family], model, widths, { materialised: false, sequence });
        }),
      );
    },
    300_000,
  );
});
