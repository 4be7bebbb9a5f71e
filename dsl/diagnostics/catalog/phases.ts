/** Diagnostics about what is known when. */
import { define } from "../diagnostic.ts";

const known: Readonly<Record<string, string>> = {
  run: "`run.` has a value only during a run",
  row: "`row.` has a value only for a row of data",
  plan: "`plan.` alone works only in the block of a stage: elsewhere name the stage, `pretrain.plan`",
};

export const knownLater = define<{
  what: string;
  phase?: string | undefined;
  since?: string | undefined;
}>({
  code: "cdr/value-later",
  severity: "error",
  message: ({ what, phase = "", since = "this is known only later" }) =>
    `${what} must be known at compile time, but ${known[phase] ?? since}`,
  explanation: `Names under \`run.\` have values during a run, those under \`row.\` for a row of data, those under \`plan.\` once the plan is made.
Properties that are compiled into configurations cannot depend on them; an \`assert\` can test a stage's \`plan\`, an \`expect\` watches the run.`,
  fix: "Write a value that is known at compile time; test `plan.` in an `assert` and `run.` in an `expect`.",
});
