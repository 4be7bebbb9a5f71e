import { fsdp2 } from "../../planner/physics/engines/fsdp2.ts";
import { ddp } from "../../planner/physics/engines/ddp.ts";
import type { Described, Run } from "../engine.ts";
import { writesScores } from "../fused-heads.ts";
import { weightOnHost } from "../trainer-weights.ts";
import { wideOf } from "../wide.ts";

export function describe(run: Run): Described {
  const { precision, ranks, zero_stage } = run;
  const format = wideOf(precision);
  // A lone rank has nobody to share with.
  const isWhole = zero_stage === 0 || ranks === 1;
  const engine = isWhole ? ddp(format, ranks) : fsdp2(format, zero_stage === 3 ? 3 : 2, ranks);
  return {
    engine: { ...engine, materialised: writesScores("torch", run), masked: run.attention === "sdpa" },
    host: 0,
    built: weightOnHost,
    saved: isWhole ? 0 : weightOnHost,
  };
}
