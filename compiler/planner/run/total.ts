/** What a whole run takes: its optimizer steps, and all that stands beside them. */
import type { StageStep } from "../../pipeline.ts";
import type { TotalPlan } from "../../plan.ts";
import { diskBandwidth, isOnDisk } from "../nvme.ts";
import { periodSteps } from "../schedule.ts";
import { worldOf } from "../setting.ts";
import { energyOf } from "./energy.ts";
import { evaluationSeconds, type Measured } from "./evaluation.ts";
import { failuresIn, lostHours, noticing } from "./failures.ts";
import { nodesByPrice, priceOf } from "./price.ts";
import { pauseSeconds, storage, transferSeconds } from "./writing.ts";

/** Python, torch, transformers and what they import: 8 s of a processor's time, as measured of the training program. */
const imports = 10;

/** Seconds that each rank adds until all talk to each other: 5 s with 2,048 (MegaScale, arXiv 2402.15627, section 3.5). */
const joining = 5 / 2048;

/** Bytes of a token as the data is prepared, at most. */
const tokenBytes = 4;

/** `split`: tokens of the validation split, where the data says how many it has. */
export function totalOf(measured: Measured, stage: StageStep, steps: number, split: number | null): TotalPlan {
  const { setting, choice, time } = measured;
  const { cluster } = setting;
  const world = worldOf(cluster);
  const tokensPerStep = setting.globalBatch * setting.sequence;
  const every = (period: Parameters<typeof periodSteps>[0]): number => periodSteps(period, tokensPerStep, time.step);
  const uncounted: string[] = [];

  const evaluations = stage.eval === null ? 0 : Math.ceil(steps / every(stage.eval.every));
  const evaluation = stage.eval === null ? 0 : evaluationSeconds(measured, stage.eval.length, split);
  if (evaluation === null) uncounted.push(`evaluation: the number of \`tokens\` of data ${stage.data} is unknown`);
  if (isOnDisk(setting, choice))
    uncounted.push(
      `the speed of the disk of \`nvme\`: ${(diskBandwidth / 1e9).toPrecision(2)} GB/s per device are assumed`,
    );
  const period = stage.checkpoint?.every == null ? steps : Math.min(steps, every(stage.checkpoint.every));
  const saves = stage.checkpoint === null ? 0 : Math.ceil(steps / period);
  const start = imports + joining * world;
  const read = (tokensPerStep * tokenBytes) / cluster.nodes / storage;

  const working = {
    steps: (steps * time.step) / 3600,
    evaluation: (evaluations * (evaluation ?? 0)) / 3600,
    checkpoints: (saves * pauseSeconds(setting, choice)) / 3600,
    // Batches are read beside the step before.
    loading: (steps * Math.max(0, read - time.step)) / 3600,
  };
  const busy = Object.values(working).reduce((sum, hours) => sum + hours, 0);
  const isSaved = stage.checkpoint !== null && stage.resume !== "never";
  const between = isSaved ? (busy * period) / steps : busy;
  const restart = (noticing + start + transferSeconds(setting, choice)) / 3600;
  const lost = lostHours(busy, between, restart, cluster);
  const failures = failuresIn(busy, cluster);
  const rest = busy + start / 3600;
  if (lost > rest) uncounted.push(`what ${Math.round(failures)} failures cost beyond the cost of everything else`);
  const price = priceOf(cluster);
  const { spot: cheap } = nodesByPrice(cluster);
  if (cheap > 0) uncounted.push("what is lost when spot machines are reclaimed");
  const parts = { ...working, failures: Math.min(lost, rest), start: start / 3600 };
  const hours = Object.values(parts).reduce((sum, each) => sum + each, 0);
  return {
    tokens: steps * tokensPerStep,
    steps,
    hours,
    gpu_hours: hours * world,
    cost: price === null ? null : hours * world * price,
    ...(cheap === 0 ? {} : { cost_per_device_hour: price, spot_nodes: cheap }),
    parts,
    failures,
    energy_kwh: energyOf(hours, cluster),
    uncounted,
  };
}
