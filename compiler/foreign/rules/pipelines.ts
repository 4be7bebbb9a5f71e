/** Pipelines of DeepSpeed, in its own files and in those of GPT-NeoX. */
import type { Launch } from "../launch.ts";
import { at, numberAt } from "../documents/located.ts";
import { numberIn, toldIn } from "../settings.ts";
import { nearby, rule, type ForeignRule } from "./rule.ts";
import { zeroStages } from "./zero.ts";
import { neox, neoxBase } from "./neox/neox.ts";
import type { Degree } from "./model-parts.ts";

export const pipelineRules: readonly ForeignRule[] = [
  rule({
    name: "pipeline-zero",
    source: "deepspeed/runtime/pipe/engine.py: PipelineEngine.__init__",
    why: "DeepSpeed's pipeline engine keeps whole gradients until all micro-batches are done: ZeRO 2 and 3 shard them earlier and are refused.",
    fix: "Set the ZeRO stage to 1 or 0, or use a single pipeline stage.",
    check: (launch) => {
      const stages = pipelines(launch)[0];
      if (stages === undefined) return [];
      return zeroStages(launch)
        .filter(({ stage }) => stage >= 2)
        .map(({ stage, span }) => ({
          span,
          message: `ZeRO stage ${stage} cannot be combined with ${stages.size} pipeline stages`,
          valid: ["0", "1"],
          ...nearby("the pipeline", stages.span),
        }));
    },
    fires: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 2")}zero_optimization:\n  stage: 2\n`,
    },
    silent: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 2")}zero_optimization:\n  stage: 1\n`,
    },
  }),
  rule({
    name: "pipeline-bubble",
    severity: "warning",
    source: "deepspeed/runtime/pipe/schedule.py: TrainSchedule",
    why: "A pipeline of p stages with m micro-batches per step idles for (p - 1) / (m + p - 1) of the time.",
    fix: "Raise the micro-batches per step (gradient accumulation) to at least four per stage, or use fewer stages.",
    check: (launch) => {
      const stages = pipelines(launch)[0];
      if (stages === undefined) return [];
      const nodes = launch.documents
        .filter(({ kind }) => kind === "deepspeed" || kind === "gpt-neox")
        .flatMap(({ root }) => neox(root, "gradient_accumulation_steps") ?? []);
      return nodes.flatMap(({ value }) => {
        const micro = numberAt(value);
        if (micro === null || micro >= 2 * stages.size) return [];
        const idle = Math.round((100 * (stages.size - 1)) / (micro + stages.size - 1));
        return [
          {
            span: value.span,
            message: `${micro} micro-batches in ${stages.size} stages: the pipeline idles ${idle} % of the time`,
            ...nearby("the pipeline", stages.span),
          },
        ];
      });
    },
    fires: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 4")}gradient_accumulation_steps: 4\n`,
    },
    silent: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 4")}gradient_accumulation_steps: 32\n`,
    },
  }),
];

function pipelines(launch: Launch): readonly Degree[] {
  const files = launch.documents.flatMap(({ kind, root }) => {
    const node =
      kind === "gpt-neox"
        ? neox(root, "pipe_parallel_size")?.value
        : kind === "deepspeed"
          ? at(root, "pipeline", "stages")
          : undefined;
    const size = numberAt(node);
    return node !== undefined && size !== null && size > 1 ? [{ size, span: node.span }] : [];
  });
  const told = launch.runs.flatMap(({ options }) => {
    const one = toldIn(options, "pipe_parallel_size", "pipeline_parallel_size", "pipeline_stages");
    const size = numberIn(options, "pipe_parallel_size", "pipeline_parallel_size", "pipeline_stages");
    return one !== undefined && size !== null && size > 1 ? [{ size, span: one.span }] : [];
  });
  return [...files, ...told];
}
