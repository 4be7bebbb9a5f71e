/** The real Megatron accepts every launch that a stage lowers to, and reads in it what was meant. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../../compiler/engines/megatron/complaints.ts";
import { judge } from "../../compiler/engines/megatron/judge.ts";
import { intentsOf, launchOf, wordsOfLaunch } from "../../compiler/engines/megatron/lower/launch.ts";
import { isDemanded } from "../../compiler/engines/megatron/since.ts";
import { argumentTable } from "../../compiler/engines/megatron/table.ts";
import { wordsOf } from "../../compiler/engines/word.ts";
import { plan } from "../../compiler/passes/parallelize.ts";
import type { StageStep } from "../../compiler/pipeline.ts";
import { ask, askOf, megatronPython, oracles } from "../support/megatron-oracle.ts";
import { type RandomLaunch, randomLaunches } from "../support/megatron-random.ts";
import { conversationCases, megatronCases, narrowCases } from "../support/megatron.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../support/pipeline.ts";

const found = megatronPython();
if ("why" in found) process.stderr.write(`megatron: ${found.why}\n`);

describe.runIf("python" in found)("Megatron 0.19.2", () => {
  it("accepts every lowered launch and reads back what was meant", () => {
    const cases = [...megatronCases("0.19"), ...narrowCases("0.19"), ...conversationCases("0.19")];
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

  it("is agreed with on random launches", () => {
    const version = "0.19.2";
    const launches = randomLaunches(1, 600, version);
    const verdicts = askOf("python" in found ? found.python : "", launches);
    const apart = launches.flatMap((launch, at) => {
      const { verdict, phase, message } = verdicts[at] ?? { verdict: "error", phase: "none", message: "" };
      const refusedBy = refusals(launch, version);
      const ours = refusedBy.length > 0 ? "error" : "ok";
      // What the engine says only after its checks is no disagreement.
      const isEarly = refusedBy.some((source) => source === null || checks.test(source));
      const agrees = verdict === ours || (verdict === "ok" && !isEarly);
      return agrees
        ? []
        : [`${launch.more.join(" ")}: ${verdict} ${phase ?? ""} ${message}, ours ${refusedBy.join()}`];
    });
    expect(apart).toEqual([]);
    const refused = verdicts.filter(({ verdict }) => verdict === "error").length;
    expect(refused).toBeGreaterThan(launches.length / 10);
    expect(refused).toBeLessThan((2 * launches.length) / 3);
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

/** Where the checks stand that are asked before anything is built. */
const checks =
  /training\/arguments\.py|transformer_config\.py|optimizer_config\.py|distributed_data_parallel_config\.py/;

/** The sources of the rules that refuse a launch; `null` for the parser. */
function refusals(launch: RandomLaunch, version: string): readonly (string | null)[] {
  const table = argumentTable(launch.entry, version);
  const line = parseCommandLine(wordsOf("launch", launch.argv), table);
  const { findings } = judge(line, table, {
    entry: launch.entry,
    world: launch.world,
    env: launch.env,
    envOpen: false,
    architecture: Number(launch.architecture),
    transformerEngine: "2.18.0",
  });
  return [
    ...complaintsOf(line, table).flatMap(({ severity }) => (severity === "error" ? [null] : [])),
    ...findings.flatMap(({ rule: { diagnostic, source } }) =>
      diagnostic.severity === "error" && isDemanded(diagnostic.code, version) ? [source] : [],
    ),
  ];
}

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
