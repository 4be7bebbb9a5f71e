/** The plan of a stage, whichever file declares it. */
import { instanceOf } from "../../dsl/lsp/value-at.ts";
import type { Symbol } from "../../dsl/symbols/symbol.ts";
import type { Compilation } from "../compile.ts";
import type { StagePlan } from "../plan.ts";

export function stageOf(symbol: Symbol, { program, plan }: Compilation): StagePlan | undefined {
  const block = instanceOf(program, symbol);
  return block?.kind.name === "stage" ? plan.stages.find(({ name }) => name === block.name) : undefined;
}
