/** Diagnostics about what is known when. */
import { define } from "../diagnostic.ts";

const known: Readonly<Record<string, string>> = {
  run: "`run.` is known only while a run goes on",
  row: "`row.` is known only for each row of data",
  plan: "`plan.` alone is known only in the block of a stage: elsewhere name it, `pretrain.plan`",
};

export const knownLater = define<{
  what: string;
  phase?: string | undefined;
  since?: string | undefined;
}>({
  code: "cdr/value-later",
  severity: "error",
  message: ({ what, phase = "", since = "this is known only later" }) =>
    `${what} must be known when compiling, and ${known[phase] ?? since}`,
  explanation: `Names under \`run.\`, \`row.\` and \`plan.\` have values while a run goes on, for a row of data, or once the plan is made. Properties
that are compiled into configurations cannot depend on them; an \`assert\` can test a stage's \`plan\`, an \`expect\` watches the run.`,
  fix: "Write a value that is known when compiling; look at `plan.` in an `assert` and at `run.` in an `expect`.",
});
