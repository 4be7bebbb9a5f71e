import { generic } from "../../planner/physics/constants/index.ts";
import { fitted } from "../../planner/physics/constants/fitted.ts";
import type { Engine } from "../engine.ts";
import { capabilities, evaluationIterations } from "./capabilities.ts";
import { describe } from "./describe.ts";
import { inexpressible } from "./lower/expressible.ts";
import { launchOf } from "./lower/launch.ts";
import { lower } from "./lower/lower.ts";
import { rules } from "./stage/rules.ts";
import { released } from "./released.ts";
import { cutInWords, relaid } from "./raw-layout.ts";
import { widths } from "./widths.ts";
import { spared } from "./spared.ts";
import { stepsOnHost } from "./steps-on-host.ts";
import { unshared } from "./unshared.ts";
import { knownVersions } from "./table.ts";

/** Runs of real models say how far its estimates are off; the exact bytes of its tests are of toys. */
const program = (fitted["megatron/any"] ?? generic).memory_interval;

export const megatron: Engine = {
  name: "megatron",
  get version() {
    return knownVersions[0] ?? "";
  },
  capabilities,
  widths,
  describe,
  measured: { time: ["megatron", "megatron-2021"], memory: ["megatron-core"], program },
  get rules() {
    return rules;
  },
  get inexpressible() {
    return inexpressible;
  },
  unshared,
  // megatron/core/optimizer/distrib_optimizer.py: DistributedOptimizer.__init__
  wholeStates: (optimizer) => optimizer === "sgd",
  stepsOnHost,
  spared,
  relaid,
  cutInWords,
  get released() {
    return released;
  },
  evaluates: { iterations: evaluationIterations },
  environment: (stage, plan, cluster) => launchOf({ stage, plan, cluster }).environment,
  get lower() {
    return lower;
  },
};
