/** Names of what is known only when the run, the row or the plan is there. */
export const phases: ReadonlySet<string> = new Set(["run", "row", "plan"]);
