/** The real Megatron accepts every launch that a stage lowers to, and reads in it what was meant. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { intentsOf, launchOf, wordsOfLaunch } from "../../compiler/engines/megatron/lower/launch.ts";
import { plan } from "../../compiler/passes/parallelize.ts";
import type { StageStep } from "../../compiler/pipeline.ts";
import { ask, megatronPython, oracles } from "../support/megatron-oracle.ts";
import { megatronCases, narrowCases } from "../support/megatron.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../support/pipeline.ts";

const found = megatronPython();
if ("why" in found) process.stderr.write(`megatron: ${found.why}\n`);

describe.runIf("python" in found)("Megatron 0.19.2", () => {
  it("accepts every lowered launch and reads back what was meant", () => {
    const cases = [...megatronCases("0.19"), ...narrowCases("0.19")];
    const verdicts = ask("python" in found ? found.python : "", cases);
    const refused = verdicts.flatMap(({ verdict, phase, message }, at) =>
      verdict === "ok" ? [] : [`${cases[at]?.name ?? ""}: ${phase ?? ""}: ${message}`],
    );
    expect(refused).toEqual([]);
    for (const [at, { step, plan, on }] of cases.entries()) {
      const values = verdicts[at]?.values ?? {};
      for (const { dest, value } of intentsOf({ stage: step, plan, cluster: on }))
        expect([dest, values[dest]]).toEqual([dest, value]);
    }
  });

  it.each(["llama", "mixtral"] as const)(
    "trains a %s over two tensor parallel ranks, saves it and loads it",
    (family) => {
      const python = "python" in found ? found.python : "";
      const words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "train.py"];
      const { stdout, stderr } = spawnSync(python, [...words, ...miniature(family)], {
        cwd: oracles,
        encoding: "utf8",
        maxBuffer: 2 ** 26,
        env: { ...process.env, CUDA_DEVICE_MAX_CONNECTIONS: "1", OMP_NUM_THREADS: "1" },
      });
      const line = stdout.split("\n").find((text) => text.startsWith('{"losses"'));
      expect(line, stderr.slice(-3000)).toBeDefined();
      const { losses, same } = JSON.parse(line ?? "{}") as { losses: readonly number[]; same: boolean };
      expect(losses).toHaveLength(6);
      expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) - 0.5);
      expect(same).toBe(true);
    },
  );
});

/** Two ranks of a tensor parallel miniature: what needs CUDA kernels is switched off in the engine's own words. */
function miniature(family: "llama" | "mixtral"): readonly string[] {
  const shape = { layers: 2, d_model: 64, heads: 4, kv_heads: 2, d_ff: 128, vocab: 128, context: 64 };
  const experts = { "moe.d_ff": 128, "moe.experts": 4, "moe.top_k": 2 };
  const on = cluster({ gpusPerNode: 2 });
  const plain = stage(modelRequest(family, family === "mixtral" ? { ...shape, ...experts } : shape));
  const step: StageStep = {
    ...plain,
    engine: given("megatron" as const),
    megatron: { version: given("0.19"), root: null, program: null, python: null },
    precision: given("fp32"),
    sequence: given(64),
    length: given({ unit: "steps", value: 6 } as const),
    batch: given({ unit: "samples", value: 2 } as const),
    optimizer: { ...plain.optimizer, lr: 0.01 },
    schedule: { ...plain.schedule, warmup: { unit: "steps", value: 1 } },
    layout: {
      // Its driver steps experts that no tensor parallel rank shares.
      given: settings({ tensor_parallel: 2, expert_parallel: family === "mixtral" ? 2 : 1, micro_batch: 2 }),
      bounds: new Map(),
    },
    rawMegatron: {
      transformer_impl: "local",
      attention_backend: "unfused",
      gradient_accumulation_fusion: false,
      masked_softmax_fusion: false,
      bias_swiglu_fusion: false,
      bias_dropout_fusion: false,
      apply_rope_fusion: false,
      no_persist_layer_norm: true,
      mock_data: true,
      ...(family === "mixtral" ? { moe_grouped_gemm: false } : {}),
    },
  };
  const { plan: planned } = plan(pipeline(step, on));
  const [one] = planned.stages;
  if (one === undefined) throw new Error("the miniature was not planned");
  return wordsOfLaunch(launchOf({ stage: step, plan: one, cluster: on })).map(({ text }) => text ?? "");
}
