import { ddp } from "../../planner/physics/engines/ddp.ts";
import type { Described, Run } from "../engine.ts";

export function describe({ precision, attention, ranks }: Run): Described {
  return { engine: { ...ddp(precision, ranks), materialised: attention === "eager" }, host: 0 };
}
