/** What torchtitan demands of a run beside its sizes. */
import type { Settings, Told } from "../../settings.ts";
import { titanRuns } from "../../torchtitan-settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const titan = "-m torchtitan.train --checkpoint.enable";

/** Names of torch.distributed.pipelining.schedules.get_schedule_class, which compares them in lower case. */
const schedules = [
  "1F1B",
  "GPipe",
  "Interleaved1F1B",
  "LoopedBFS",
  "InterleavedZeroBubble",
  "PipelineScheduleSingle",
  "PipelineScheduleMulti",
  "ZBVZeroBubble",
  "DualPipeV",
];
/** Of older releases of torch, and of a schedule that a file describes. */
const older = ["FlexibleInterleaved1F1B", "_PipelineScheduleRuntime"];

const isOn = (told: Told | undefined): boolean =>
  told !== undefined && told.known && !["false", "False"].includes(String(told.value));

export const torchtitanRunRules: readonly ForeignRule[] = [
  rule({
    name: "torchtitan-seed",
    source: "torchtitan/train.py: main (create_seed_checkpoint)",
    why: "A seed checkpoint holds the whole model: a separate run with a single rank creates and saves it.",
    fix: "Run it alone: NGPU=1, --checkpoint.enable --checkpoint.create_seed_checkpoint, with every degree of parallelism 1.",
    check: (launch) =>
      titanRuns(launch).flatMap(({ settings: options }): readonly Found[] => {
        const seed = options.get("checkpoint.create_seed_checkpoint");
        if (!isOn(seed) || seed === undefined) return [];
        const saves = options.get("checkpoint.enable") ?? options.get("checkpoint.enable_checkpoint");
        const found: Found[] = [];
        if (launch.world.size !== null && launch.world.size !== 1)
          found.push({
            span: seed.nameSpan,
            message: `a seed checkpoint needs a single rank, but there are ${launch.world.size}`,
            ...nearby("ranks", launch.world.said[0]?.span),
          });
        if (saves !== undefined && saves.known && !isOn(saves))
          found.push({
            span: saves.nameSpan,
            message: "a seed checkpoint cannot be saved while checkpoints are off",
          });
        return found;
      }),
    fires: { "run.sh": `torchrun --nproc-per-node=8 ${titan} --checkpoint.create_seed_checkpoint\n` },
    silent: { "run.sh": `torchrun --nproc-per-node=1 ${titan} --checkpoint.create_seed_checkpoint\n` },
  }),
  rule({
    name: "torchtitan-schedule",
    source:
      "torch/distributed/pipelining/schedules.py: get_schedule_class; torchtitan/distributed/pipeline_parallel.py: _get_pipeline_metadata",
    why: "A schedule is looked up by its name when the pipeline is built.",
    fix: "Write a name from `valid`; case does not matter.",
    check: (launch) => titanRuns(launch).flatMap(({ settings }) => scheduled(settings)),
    fires: {
      "run.sh": `torchrun --nproc-per-node=8 ${titan} --parallelism.pipeline_parallel_degree 8 --parallelism.pipeline_parallel_schedule 1F1BInterleaved\n`,
    },
    silent: {
      "run.sh": `torchrun --nproc-per-node=8 ${titan} --parallelism.pipeline_parallel_degree 8 --parallelism.pipeline_parallel_schedule interleaved1f1b\n`,
    },
  }),
];

function scheduled(options: Settings): readonly Found[] {
  const told = options.get("parallelism.pipeline_parallel_schedule");
  const stages = Number(options.get("parallelism.pipeline_parallel_degree")?.value ?? 1);
  if (told === undefined || !told.known || !(stages > 1)) return [];
  const name = String(told.value);
  const known = [...schedules, ...older].some((each) => each.toLowerCase() === name.toLowerCase());
  return known ? [] : [{ span: told.span, message: `torch has no pipeline schedule ${name}`, valid: schedules }];
}
