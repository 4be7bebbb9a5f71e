import { fsdp2 } from "../../planner/physics/engines/fsdp2.ts";
import { ddp } from "../../planner/physics/engines/ddp.ts";
import type { Described, Run } from "../engine.ts";

export function describe({ precision, attention, ranks, zero_stage }: Run): Described {
  // A lone rank has nobody to share with.
  const engine =
    zero_stage === 0 || ranks === 1 ? ddp(precision, ranks) : fsdp2(precision, zero_stage === 3 ? 3 : 2, ranks);
  return { engine: { ...engine, materialised: attention === "eager" }, host: 0 };
}
