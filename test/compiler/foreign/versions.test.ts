/** A launch is judged by the release of its engine that its files, or the command line, name. */
import { describe, expect, it } from "vitest";
import { bases } from "../../../compiler/engines/megatron/bases.ts";
import { steps } from "../../../compiler/engines/megatron/rules/index.ts";
import deepSpeedSince from "../../../compiler/engines/deepspeed/demands.json" with { type: "json" };
import { demands as deepSpeedDemands } from "../../../compiler/engines/deepspeed/demands/index.ts";
import { exampleConfig, tryExample } from "../../../compiler/engines/deepspeed/example.ts";
import { isSection, parseValue } from "../../../compiler/engines/deepspeed/value.ts";
import { findingsOf, newest as newestDeepSpeed } from "../../../compiler/engines/deepspeed/versions.ts";
import demands from "../../../compiler/engines/megatron/versions/demands.json" with { type: "json" };
import { below } from "../../../compiler/engines/release.ts";
import { argumentTable, knownVersions } from "../../../compiler/engines/megatron/table.ts";
import { checkForeign } from "../../../compiler/foreign/check.ts";

function check(files: Readonly<Record<string, string>>, engines: Readonly<Record<string, string>> = {}) {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const supplied = { world: 8, gpusPerNode: 8, gpu: "h100", engines: new Map(Object.entries(engines)) };
  return checkForeign(sources, supplied, () => undefined);
}
const said = (found: ReturnType<typeof check>): readonly string[] =>
  found.diagnostics.filter(({ severity }) => severity !== "info").map(({ code, message }) => `${code}: ${message}`);
const train = (more: string, before = ""): Record<string, string> => ({
  "train.sh": `${before}export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc_per_node 8 pretrain_gpt.py ${bases.gpt} ${more}\n`,
});
const json = (more: Readonly<Record<string, unknown>>): Record<string, string> => ({
  "ds.json": JSON.stringify({ train_micro_batch_size_per_gpu: 1, optimizer: { type: "Adam" }, ...more }),
});

describe("Megatron", () => {
  it("is the newest known where nobody names a release", () => {
    const { engines } = check(train(""));
    expect(engines).toEqual([{ engine: "megatron", version: knownVersions[0], written: null, span: null }]);
  });

  it.each([
    "git clone -b core_v0.12.1 https://example.org/Megatron-LM\n",
    "git checkout core_r0.12.0\n",
    "pip install megatron-core==0.12.2\n",
  ])("is what a script fetches: %s", (line) => {
    const { engines } = check(train("", line));
    expect(engines.map(({ version, span }) => [version, span?.source.path])).toEqual([["0.12.3", "train.sh"]]);
  });

  it("has the arguments of that release", () => {
    const [older, newer] = ["--use-checkpoint-opt_param-scheduler", "--moe-latent-size 256"];
    expect(said(check(train(older), { megatron: "0.13" }))).toEqual([]);
    expect(said(check(train(newer), { megatron: "0.13" })).join("\n")).toMatch(
      /Megatron 0\.13\.1 has no argument --moe-latent-size: it came with 0\.1\d/,
    );
    expect(said(check(train("--ckpt-format zarr"), { megatron: "0.12" }))).toEqual([]);
    expect(said(check(train("--ckpt-format zarr"))).join("\n")).toContain("no choice zarr");
  });

  it("lets 0.19 submit groups of rollouts without partial ones, as its wheel does, and no single ones", () => {
    const told = (megatron: string, what: string) => {
      const script = `export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc_per_node 8 train_rl.py ${bases.rl} --rl-submission-granularity ${what}\n`;
      return said(check({ "train.sh": script }, { megatron })).join("\n");
    };
    expect(told("0.20", "G")).toContain("cdr/megatron-rl-submission-groups");
    expect(told("0.19", "G")).not.toContain("cdr/megatron-rl-submission");
    for (const version of ["0.19", "0.20"]) expect(told(version, "R")).toMatch(/cdr\/megatron-rl-submission(?!-)/);
  });

  it("knows more arguments with every release, and every table stands for itself", () => {
    const sizes = knownVersions.map((version) => argumentTable("gpt", version).all.length);
    expect([...sizes].sort((a, b) => b - a)).toEqual(sizes);
    for (const version of knownVersions)
      for (const name of ["--num-layers", "--micro-batch-size", "--tensor-model-parallel-size", "--lr"])
        expect(argumentTable("gpt", version).byName.has(name), `${version} ${name}`).toBe(true);
  });

  it("makes only the demands of that release", () => {
    const clamped = "--swiglu --activation-func-clamp-value 7.0";
    expect(said(check(train(clamped), { megatron: "0.19" }))).toEqual([]);
    expect(said(check(train(clamped))).join("\n")).toContain("cdr/megatron-activation-clamp");
    const told = (text: string, megatron: string) => said(check(train(text), { megatron })).join("\n");
    const invariant = "--batch-invariant-mode --attention-backend flash";
    expect(told(invariant, "0.18")).toBe("");
    expect(told(invariant, "0.20")).toContain("cdr/megatron-batch-invariant-kernels");
    expect(told("--batch-invariant-mode", "0.18")).toContain("cdr/megatron-batch-invariant");
    expect(told("--use-sharp", "0.18")).toBe("");
    expect(told("--use-sharp", "0.19")).toContain("cdr/megatron-sharp-default-group");
  });

  it.each(["0.12", "0.14", "0.17"])("makes the demands that %s makes in the middle of its functions", (megatron) => {
    const told = (text: string) => said(check(train(text), { megatron })).join("\n");
    expect(told("--use-precision-aware-optimizer --optimizer sgd --use-distributed-optimizer")).toContain(
      "cdr/megatron-optimizer-precision-adam",
    );
    expect(told("--ddp-num-buckets 0")).toContain("cdr/megatron-gradient-buckets");
  });

  it("accepts the usual launch of every release", () => {
    for (const version of knownVersions) {
      const names = argumentTable("gpt", version).byName;
      const known = bases.gpt.replaceAll(/ (--[\w-]+)((?: (?!--)\S+)*)/g, (all, name: string) =>
        names.has(name) ? all : "",
      );
      const script = `export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc_per_node 8 pretrain_gpt.py ${known}\n`;
      expect(said(check({ "train.sh": script }, { megatron: version })), version).toEqual([]);
    }
  });

  it("lists only rules that there are", () => {
    const codes = new Set(steps.flatMap((step) => (step.kind === "rule" ? [step.diagnostic.code as string] : [])));
    expect(
      Object.values(demands)
        .flat()
        .filter((code) => !codes.has(code)),
    ).toEqual([]);
    expect(Object.keys(demands).filter((version) => !knownVersions.includes(version))).toEqual([]);
  });

  it("is the nearest known where the release is not, and says so", () => {
    const { engines, diagnostics } = check(train(""), { megatron: "0.99" });
    expect(engines.map(({ version }) => version)).toEqual([knownVersions[0]]);
    expect(diagnostics.map(({ code }) => code)).toContain("cdr/foreign-engine-version");
  });
});

describe("DeepSpeed", () => {
  it("takes what it still took", () => {
    const files = json({ elasticity: { enabled: false } });
    expect(said(check(files)).join("\n")).toContain("cdr/deepspeed-removed");
    expect(said(check({ ...files, "requirements.txt": "torch==2.4.0\ndeepspeed==0.16.4\n" }))).toEqual([]);
  });

  it("chooses the batch of elastic training, and the ranks that share it", () => {
    const judge = (
      more: Readonly<Record<string, unknown>>,
      world: number,
      beside: Readonly<Record<string, unknown>> = {},
    ) => {
      const section = {
        enabled: true,
        max_train_batch_size: 2000,
        micro_batch_sizes: [2, 4, 6],
        version: 0.1,
        ...more,
      };
      const text = JSON.stringify({ optimizer: { type: "Adam" }, ...beside, elasticity: section });
      const supplied = { world, gpusPerNode: 8, gpu: "h100", engines: new Map([["deepspeed", "0.16.4"]]) };
      return said(checkForeign([{ path: "ds.json", text }], supplied, () => undefined));
    };
    expect(judge({}, 56)).toEqual([]);
    expect(judge({}, 120)).toEqual([]);
    expect(judge({}, 48)).toEqual([
      "cdr/deepspeed-elasticity: 48 ranks do not evenly divide the elastic batch of 1680 samples; 28, 30, 35, 40, 42, 56, 60, 70 do",
    ]);
    expect(judge({ version: 0.2, num_gpus_per_node: 8 }, 24)).toEqual([]);
    expect(judge({}, 48, { train_batch_size: 96 }).join("\n")).toContain("ignore_non_elastic_batch_info");
    expect(judge({ ignore_non_elastic_batch_info: true }, 56, { train_batch_size: 1680 })).toEqual([]);
    expect(judge({ ignore_non_elastic_batch_info: true }, 56, { train_batch_size: 96 })).toEqual([
      "cdr/deepspeed-ignored: elasticity takes the place of train_batch_size 96: the engine trains with train_batch_size 1680, train_micro_batch_size_per_gpu 6, gradient_accumulation_steps 5",
    ]);
    expect(judge({ micro_batch_sizes: [2, 4000] }, 48).join("\n")).toContain(
      "micro-batches of 4000 samples are more",
    );
    expect(judge({ min_gpus: 64, max_gpus: 8 }, 48).join("\n")).toContain("min_gpus 64 is more than max_gpus 8");
    expect(judge({ micro_batch_sizes: "4" }, 48).join("\n")).toContain("not a list of positive whole numbers");
    expect(judge({ version: 0.3 }, 48).join("\n")).toContain("neither 0.1 nor 0.2");
    expect(judge({ model_parallel_size: 2 }, 48).join("\n")).toContain("write 0.2");
  });

  it("holds Apex's amp of an older DeepSpeed against ZeRO and other formats", () => {
    const judge = (more: object, release = "0.16.4"): readonly string[] => {
      const text = JSON.stringify({
        train_batch_size: 64,
        optimizer: { type: "Adam" },
        amp: { enabled: true },
        ...more,
      });
      const supplied = { world: 8, gpusPerNode: 8, gpu: "h100", engines: new Map([["deepspeed", release]]) };
      return said(checkForeign([{ path: "ds.json", text }], supplied, () => undefined));
    };
    expect(judge({})).toEqual([]);
    expect(judge({ bf16: { enabled: false }, zero_optimization: { stage: 0 } })).toEqual([]);
    expect(judge({ bf16: { enabled: true } })).toEqual([
      "cdr/deepspeed-amp: amp and bf16 both choose the format of the model",
    ]);
    expect(judge({ fp16: { enabled: true }, zero_optimization: { stage: 1 } })).toEqual([
      "cdr/deepspeed-amp: amp casts whole models and ZeRO stage 1 divides them",
    ]);
    expect(judge({ bf16: { enabled: true } }, "0.19.8")).not.toContainEqual(expect.stringContaining("deepspeed-amp"));
  });

  it("has not what came later, whether it refuses it or passes it over", () => {
    const leaf = json({ zero_optimization: { stage: 3, leaf_module: { name_suffixes: ["experts"] } } });
    expect(said(check(leaf))).toEqual([]);
    expect(said(check(leaf, { deepspeed: "0.15.4" }))).toEqual([
      "cdr/deepspeed-key: DeepSpeed 0.15.4 refuses zero_optimization.leaf_module: it came with 0.18.0",
    ]);
    const checked = json({ bf16: { enabled: true, check_grad_overflow: true } });
    expect(said(check(checked, { deepspeed: "0.16.0" }))).toEqual([
      "cdr/deepspeed-ignored: DeepSpeed 0.16.0 does not read bf16.check_grad_overflow: it came with 0.17.1",
    ]);
  });

  it("passes over in a section what only its later class refuses", () => {
    const files = json({ bf16: { enabled: true, comment: "x" } });
    expect(said(check(files)).join("\n")).toContain("cdr/deepspeed-key");
    expect(said(check(files, { deepspeed: "0.16.0" }))).toEqual([
      "cdr/deepspeed-ignored: nothing reads bf16.comment",
    ]);
  });

  it("takes values as they were before a section had a class", () => {
    const files = json({ bf16: { enabled: true, immediate_grad_update: "much" } });
    expect(said(check(files)).join("\n")).toContain("cdr/deepspeed-value");
    expect(said(check(files, { deepspeed: "0.16.0" }))).toEqual([]);
    expect(said(check(files, { deepspeed: "0.17.1" })).join("\n")).toContain("cdr/deepspeed-value");
  });

  const examples = new Map(deepSpeedDemands.map((demand) => [demand.diagnostic.code, demand]));
  it.each(Object.entries(deepSpeedSince.since))("makes no demand before its time: %s came with %s", (code, since) => {
    const demand = examples.get(code);
    if (demand === undefined) throw new Error(`nothing demands ${code}`);
    const config = parseValue(JSON.stringify(exampleConfig(demand.fires)));
    if (!isSection(config)) throw new Error("an example is an object");
    const { findings } = tryExample(demand.fires);
    const codes = (release: string) => findingsOf(release, config, findings).map(({ diagnostic }) => diagnostic.code);
    expect(codes(newestDeepSpeed)).toContain(code);
    expect(codes(deepSpeedSince.first)).not.toContain(code);
    expect(below(deepSpeedSince.first, since)).toBe(true);
  });
});

it("notices only from a release on what was otherwise before", () => {
  const ramp = train("--rampup-batch-size 8 8 1000");
  expect(said(check(ramp, { megatron: "0.17" })).join("\n")).not.toContain("rampup");
  expect(said(check(ramp, { megatron: "0.18" })).join("\n")).toContain("cdr/megatron-rampup-ignored");
  const compressed = json({ optimizer: { type: "OneBitAdam", params: { lr: 1e-4 } } });
  expect(said(check(compressed, { deepspeed: "0.16.0" }))).toEqual([]);
  expect(said(check(compressed)).join("\n")).toContain("cdr/deepspeed-optimizer-unknown");
});
