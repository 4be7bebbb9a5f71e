/** Diagnostics about what is known when. */
import { define } from "../diagnostic.ts";

export const knownLater = define<{ what: string }>({
  code: "cdr/value-later",
  severity: "error",
  message: ({ what }) => `${what} must be known when compiling, and this is known only later`,
  explanation: `Names under \`run.\`, \`row.\` and \`plan.\` have values while a run goes on, for a row of data, or once the plan is made. Properties
that are compiled into configurations cannot depend on them; an \`assert\` may look at a stage's \`plan\`, an \`expect\` watches the run.`,
  fix: "Write a value that is known when compiling; look at `plan.` in an `assert` and at `run.` in an `expect`.",
});
