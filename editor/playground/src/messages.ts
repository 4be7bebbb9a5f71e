/** What the page asks of the worker besides what every language client asks. */
import type { StagePlan } from "../../../compiler/plan.ts";

export const planRequest = "cdr/plan";

export interface PlanParams {
  readonly uri: string;
}

/** A stage as `cdrc plan` has it; origins hold whole syntax trees, and stay where they are. */
export type PlannedStage = Omit<StagePlan, "origins">;

export interface PlanAnswer {
  readonly stages: readonly PlannedStage[];
  readonly errors: number;
  readonly warnings: number;
  /** Names of what the file asks of its machine, which a browser does not know. */
  readonly unknown: readonly string[];
}
