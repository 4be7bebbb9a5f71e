/** Diagnostics about `<file>.lock`. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const lockChanged = define<{ what: string; how: string }>({
  code: "cdr/lock-changed",
  severity: "warning",
  message: ({ what, how }) => `${what} ${how}: the file no longer matches its lock`,
  explanation: `\`cdrc lock FILE\` writes digests of all inputs of a file into \`FILE.lock\`: imports, the standard library, local data, revisions on the
Hub, sources of plugins, the edition. If one of them has changed, a run would not repeat the locked run.`,
  fix: "Run `cdrc lock FILE` again if the change is intended, or restore the locked version.",
});

export const lockUnreadable = define({
  code: "cdr/lock-unreadable",
  severity: "warning",
  message: () => "this version of cdrc cannot read the lock of this file",
  explanation: `The \`.lock\` file beside it is not in the format of this version.`,
  fix: "Run `cdrc lock FILE` again.",
});
