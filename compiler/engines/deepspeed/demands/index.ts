import type { Demand } from "../step.ts";
import { batch } from "./batch.ts";
import { late } from "./late.ts";
import { optimizer } from "./optimizer.ts";
import { parallel } from "./parallel.ts";
import { precision } from "./precision.ts";
import { reduction } from "./reduction.ts";
import { scheduler } from "./scheduler.ts";
import { sections } from "./sections.ts";
import { tensor } from "./tensor.ts";
import { zero } from "./zero.ts";

/** Everything that the engine demands of a configuration beyond the types of its keys. */
export const demands: readonly Demand[] = [
  ...batch,
  ...precision,
  ...reduction,
  ...sections,
  ...zero,
  ...optimizer,
  ...scheduler,
  ...parallel,
  ...tensor,
  ...late,
];
