/** Diagnostics about running what a file says. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const notExecuted = define<{ who: string; what: string }>({
  code: "cdr/run-unsupported",
  severity: "error",
  message: ({ who, what }) => `${who} cannot run yet: this version of cdrc checks ${what} and does not carry it out`,
  explanation: `The language says more than this version can do. What it cannot do is typed, checked and planned like everything else,
and refused by \`cdrc run\` and \`cdrc compile\` with the name of the step: nothing is left out silently. Steps of the same file that need
none of it run when they are named: \`cdrc run FILE STEP\`.`,
});
