/** The real Megatron Bridge makes its configuration from every stage that lowers to it, and reads in it what was meant. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { containerOf } from "../../compiler/engines/megatron/bridge/container.ts";
import { bridgeOf } from "../../compiler/engines/megatron/bridge/fields.ts";
import { yamlOf } from "../../compiler/engines/megatron/bridge/yaml.ts";
import { given } from "../support/pipeline.ts";
import { megatronPython } from "../support/megatron-oracle.ts";
import { megatronCases, narrowCases, type MegatronCase } from "../support/megatron.ts";

const oracle = join(import.meta.dirname, "..", "oracles", "bridge");
const found = megatronPython(oracle);
const python = "python" in found ? found.python : null;
if ("why" in found) process.stderr.write(`megatron bridge: ${found.why}\n`);

interface Verdict {
  readonly verdict: "ok" | "error";
  readonly message: string;
  readonly values?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function ask(
  cases: readonly MegatronCase[],
  change = (yaml: string, _at: number): string => yaml,
): readonly Verdict[] {
  const input = cases.map(({ step, launch, plan }, at) => {
    const fields = bridgeOf(step);
    if (fields === null) throw new Error("the stage does not start Megatron Bridge");
    const environment = Object.entries(launch.environment).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    );
    return {
      yaml: change(yamlOf(containerOf(launch, fields)), at),
      env: { ...Object.fromEntries(environment), CDR_DATA: "/data", CDR_RUN: "/run", CDR_FROM: "/from" },
      world: plan.layout.world,
    };
  });
  const { status, stdout, stderr } = spawnSync(python ?? "", [join(oracle, "accept.py")], {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "[]") as readonly Verdict[];
}

describe.runIf(python !== null)("Megatron Bridge 0.3.1", () => {
  const options = { entry: given("bridge" as const) };
  const cases = [...megatronCases("0.3", options), ...narrowCases("0.3", options)];
  const verdicts = python === null ? [] : ask(cases);

  it("makes and validates a configuration of every lowered stage", () => {
    expect(cases.length).toBeGreaterThan(50);
    const refused = verdicts.flatMap(({ verdict, message }, at) =>
      verdict === "ok" ? [] : [`${cases[at]?.name ?? ""}: ${message}`],
    );
    expect(refused).toEqual([]);
  });

  it("refuses a field that it has not, parts that disagree, and ranks that nothing divides", () => {
    const changes = [
      ["  hidden_size:", "  hiddensize:"],
      ["  sequence_length:", "  sequence_length: 96 #"],
      ["  context_parallel_size:", "  context_parallel_size: 7 #"],
    ] as const;
    const [first] = cases;
    if (first === undefined) throw new Error("there is no case");
    const answers = ask(
      changes.map(() => first),
      (yaml, at) => yaml.replace(changes[at]?.[0] ?? "", changes[at]?.[1] ?? ""),
    );
    expect(answers.map(({ verdict }) => verdict)).toEqual(changes.map(() => "error"));
  });

  it("reads the plan in it", () => {
    for (const [at, { plan, step }] of cases.entries()) {
      const { layout, model, batch, total } = plan;
      const values = verdicts[at]?.values ?? {};
      expect(values).toMatchObject({
        model: {
          num_layers: model.layers,
          hidden_size: model.d_model,
          vocab_size: model.vocab,
          seq_length: batch.sequence,
          tensor_model_parallel_size: layout.tensor_parallel,
          pipeline_model_parallel_size: layout.pipeline_parallel,
          context_parallel_size: layout.context_parallel,
          sequence_parallel: layout.sequence_parallel,
          share_embeddings_and_output_weights: model.tied,
          gated_linear_unit: model.gated,
          bf16: ["bf16", "fp8", "fp4"].includes(step.precision.value),
          fp16: step.precision.value === "fp16",
        },
        train: {
          micro_batch_size: batch.micro_batch,
          global_batch_size: batch.global_batch,
          train_iters: total.steps,
        },
        optimizer: { lr: step.optimizer.lr, adam_eps: step.optimizer.eps, weight_decay: step.optimizer.weightDecay },
        ddp: { use_distributed_optimizer: layout.zero_stage > 0 },
        dataset: { sequence_length: batch.sequence, random_seed: step.seed },
        rng: { seed: step.seed },
      });
    }
  });

  it("goes on from the newest checkpoint that is whole, and a stage after it from the one that is named", () => {
    const { stdout, stderr } = spawnSync(python ?? "", [join(oracle, "resume.py")], { encoding: "utf8" });
    const said = stdout.split("\n").find((line) => line.startsWith("{"));
    expect(said, stderr.slice(-2000)).toBeDefined();
    expect(JSON.parse(said ?? "{}")).toEqual({
      own: { step: 2, samples: 8, exists: true },
      after: { step: 1, samples: 4, exists: true },
    });
  });

  it("says every argument in a field of it", () => {
    for (const { name, launch, step } of cases) {
      const fields = bridgeOf(step);
      expect([name, fields === null ? null : containerOf(launch, fields).unplaced.map(({ dest }) => dest)]).toEqual([
        name,
        [],
      ]);
    }
  });
});
