import type { Demand } from "../step.ts";
import { batch } from "./batch.ts";
import { compile } from "./compile.ts";
import { dataOrder } from "./data-order.ts";
import { expertNames } from "./expert-names.ts";
import { late } from "./late.ts";
import { muon } from "./muon.ts";
import { optimizer } from "./optimizer.ts";
import { parallel } from "./parallel.ts";
import { precision } from "./precision.ts";
import { reduction } from "./reduction.ts";
import { saving } from "./saving.ts";
import { scheduler } from "./scheduler.ts";
import { sections } from "./sections.ts";
import { tensor } from "./tensor.ts";
import { zenflow } from "./zenflow.ts";
import { zero } from "./zero.ts";

/** Everything that the engine demands of a configuration beyond the types of its keys. */
export const demands: readonly Demand[] = [
  ...batch,
  ...precision,
  ...reduction,
  ...sections,
  ...dataOrder,
  ...zero,
  ...zenflow,
  ...optimizer,
  ...muon,
  ...scheduler,
  ...parallel,
  ...expertNames,
  ...tensor,
  ...compile,
  ...saving,
  ...late,
];
