/** Pipeline and plan -> bundle. Pure: the same input gives the same bytes on any machine. */
import { createHash } from "node:crypto";
import { trainerFiles } from "../bundle/trainer.ts";
import type { TokenizeConfig } from "../bundle/data-programs.ts";
import type { EvaluateConfig, GenerateConfig } from "../bundle/programs.ts";
import type { Bundle, BundleFile, StepInput, StepRun } from "../bundle/steps.ts";
import type { Document } from "../document.ts";
import { lowerStage } from "../engines/lower.ts";
import { json } from "../engines/trainer.ts";
import { wideOf } from "../engines/wide.ts";
import type { Pipeline, PipelineStep, StageStep } from "../pipeline.ts";
import { planDocument } from "../plan-document.ts";
import type { Plan, StagePlan } from "../plan.ts";
import { lowerKubernetes } from "../targets/kubernetes/lower.ts";
import { inPods } from "../targets/kubernetes/mounted.ts";
import { lowerLocal } from "../targets/local/lower.ts";
import { type Naming, planReport } from "./report.ts";

export interface Emission {
  readonly pipeline: Pipeline;
  readonly plan: Plan;
  /** Every file that was compiled, with its text, by the names that `naming` gives. */
  readonly sources: readonly { readonly path: string; readonly text: string }[];
  /** How a bundle names a source: as the root file sees it, so that no place shows. */
  readonly naming: Naming;
  readonly version: string;
  /** The plan as people read it. */
  readonly planText: string;
}

export function emit({ pipeline, plan, sources, naming, version, planText }: Emission): Bundle {
  const lowered = pipeline.steps.map((step) => inPods(lowerStep(step, pipeline, plan), pipeline.launch));
  const steps = lowered.map(({ run }) => run);
  const own: BundleFile[] = [
    ...lowered.flatMap(({ files }) => files),
    { path: "steps.json", text: json(steps) },
    { path: "plan.json", text: json(planDocument(plan, naming)) },
    { path: "report.html", text: planReport(pipeline, plan, planText, naming) },
    ...sources.map(({ path, text }) => ({ path: `sources/${path.replace(/^(\.\.?\/)+|^\/+/g, "")}`, text })),
    ...trainerFiles(),
  ];
  const partial: Bundle = { files: own, steps };
  const started = [...lowerLocal(partial, pipeline.launch), ...lowerKubernetes(partial, pipeline.launch)];
  const files = [...own, ...started].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: [...files, { path: "manifest.json", text: manifest(files, sources, version) }], steps };
}

function manifest(files: readonly BundleFile[], sources: Emission["sources"], version: string): string {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const document: Document = {
    format: 1,
    compiler: version,
    sources: Object.fromEntries(sources.map(({ path, text }) => [path, hash(text)])),
    files: Object.fromEntries(files.map(({ path, text }) => [path, hash(text)])),
  };
  return json(document);
}

function lowerStep(
  step: PipelineStep,
  pipeline: Pipeline,
  plan: Plan,
): { run: StepRun; files: readonly BundleFile[] } {
  const { cluster } = pipeline.launch;
  const single = {
    name: step.name,
    kind: step.kind,
    nodes: 1,
    processes: 1,
    device: "cpu" as const,
    root: rootOf(step, pipeline),
    estimate: null,
  };
  const one = (
    program: StepRun["program"],
    config: object,
    inputs: readonly StepInput[],
    total: number | null,
    unit: StepRun["unit"],
  ) => {
    const path = `steps/${step.name}/${program}.json`;
    return {
      run: { ...single, program, config: path, files: [path], inputs, total, unit },
      files: [{ path, text: json(config) }],
    };
  };
  switch (step.kind) {
    case "tokenizer": {
      const { name, sources, tokenizer, seed } = step;
      const config: TokenizeConfig = { format: 1, step: name, seed, sources, tokenizer };
      return one("tokenize", config, [], null, "bytes");
    }
    case "data":
      return one(
        "prepare",
        step.config,
        step.tokenizer === null ? [] : [{ name: "tokenizer", step: step.tokenizer, which: "result" }],
        null,
        "bytes",
      );
    case "eval": {
      const { name, seed, split, batches, model, data } = step;
      const stage = stageOf(model.step, pipeline);
      const planned = planOf(model.step, plan);
      const config: EvaluateConfig = {
        format: 1,
        step: name,
        seed,
        precision: wideOf(stage?.precision.value ?? "fp32"),
        split,
        micro_batch: planned?.batch.micro_batch ?? 1,
        batches,
      };
      const inputs: StepInput[] = [
        { name: "model", step: model.step, which: model.which },
        { name: "data", step: data, which: "result" },
      ];
      return one("evaluate", config, inputs, batches, "batches");
    }
    case "sample": {
      const { name, seed, prompts, maxTokens, temperature, topK, topP, model } = step;
      const config: GenerateConfig = {
        format: 1,
        step: name,
        seed,
        prompts,
        max_tokens: maxTokens,
        temperature,
        top_k: topK,
        top_p: topP,
      };
      return one(
        "generate",
        config,
        [{ name: "model", step: model.step, which: model.which }],
        "file" in prompts ? null : prompts.length,
        "prompts",
      );
    }
    case "stage": {
      const planned = planOf(step.name, plan);
      if (planned === undefined) throw new Error(`stage "${step.name}" was not planned`);
      const files = lowerStage(step, planned, cluster);
      const isOurs = planned.engine !== "megatron";
      const config = `stages/${step.name}/${isOurs ? "trainer.json" : "megatron.json"}`;
      const inputs: StepInput[] = [
        { name: "data", step: step.data, which: "result" },
        ...(step.from === null ? [] : [{ name: "from", step: step.from.step, which: step.from.which }]),
      ];
      const run: StepRun = {
        name: step.name,
        kind: "stage",
        program: isOurs ? "train" : "megatron",
        config,
        files: files.map((file) => file.path),
        nodes: cluster.nodes,
        processes: cluster.gpusPerNode,
        device: cluster.device.kind,
        inputs,
        root: step.root,
        total: planned.total.steps,
        unit: "steps",
        estimate: { memory: planned.memory.peak, step_seconds: planned.time.step },
      };
      return { run, files };
    }
  }
}

const stageOf = (name: string, pipeline: Pipeline): StageStep | undefined =>
  pipeline.steps.find((s): s is StageStep => s.kind === "stage" && s.name === name);
const planOf = (name: string, plan: Plan): StagePlan | undefined => plan.stages.find((s) => s.name === name);

/** What a stage reads or what reads it lives beside it. */
function rootOf(step: PipelineStep, pipeline: Pipeline): string {
  const related = pipeline.steps.find(
    (s): s is StageStep => s.kind === "stage" && (step.needs.includes(s.name) || s.needs.includes(step.name)),
  );
  return related?.root ?? "runs";
}
