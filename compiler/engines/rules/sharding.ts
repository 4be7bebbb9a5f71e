import { engineOption } from "../../diagnostics/engine.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { bytes } from "../../planner/describe.ts";
import { divisors } from "../../planner/divisors.ts";
import { families } from "../../models/index.ts";
import { allMoments } from "../../planner/moments.ts";
import { onDisk } from "../../planner/nvme.ts";
import type { Given } from "../../pipeline.ts";
import type { Rule } from "../engine.ts";

/** What `shard_over`, `quantize` and `nvme` ask of the layout and the machine. */
export const sharding: Rule = {
  name: "sharding",
  source:
    "accelerate parallelism_config.py: ParallelismConfig; deepspeed runtime/zero/partition_parameters.py: Init (zero_hpz_partition_size); " +
    "runtime/engine.py: DeepSpeedEngine (zero_quantized_*: CUDA kernels); runtime/zero/offload_config.py",
  check: (stage, { layout, engine, model, trained }, { device, disk }) => {
    const { over, quantize, nvme } = stage.sharding;
    const zero = layout.zero_stage;
    const refuse = (span: Span, option: string, why: string, valid: readonly string[] = []): Diagnostic =>
      engineOption(span, { engine, option, why }, { valid });
    const stageOf = (least: number): string => (least === 2 ? "2 or 3" : "3");
    const needs = <T>(option: Given<T> | null, name: string, least: 2 | 3): Diagnostic[] =>
      option === null || zero >= least
        ? []
        : [refuse(option.span, name, `it needs zero_stage ${stageOf(least)}, but the layout has ${zero}`)];
    const stepped = trained ?? model.parameters.total;
    const moments = allMoments({ ...stage, family: families[model.family], model }, stepped) / stepped;
    const shard = stepped / layout.world;
    const swapped = onDisk({ precision: stage.precision.value }, shard, moments, layout).disk * layout.gpus_per_node;
    const groups = divisors(layout.world).filter((ranks) => ranks > 1);
    return [
      ...needs(over, "shard_over", engine === "torch" ? 2 : 3),
      ...(over === null || groups.includes(over.value)
        ? []
        : [
            refuse(
              over.span,
              `shard_over = ${over.value}`,
              `groups of ${over.value} cannot be formed evenly from ${layout.world} ranks`,
              groups.map(String),
            ),
          ]),
      ...needs(quantize, "quantize", 3),
      ...(quantize !== null && device.kind === "cpu"
        ? [refuse(quantize.span, "quantize", "its kernels run only on GPUs")]
        : []),
      ...needs(nvme, "nvme", 3),
      ...(nvme !== null && layout.offload === "none"
        ? [refuse(nvme.span, "nvme", "it says where `offload` puts things, but the layout offloads nothing")]
        : []),
      ...(nvme !== null && disk !== undefined && layout.offload !== "none" && swapped > disk
        ? [
            refuse(
              nvme.span,
              "nvme",
              `${bytes(swapped)} per node would be stored there, but the disk of a node has ${bytes(disk)}`,
            ),
          ]
        : []),
    ];
  },
};
