/** Diagnostics about `<file>.lock`. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const lockChanged = define<{ what: string; how: string }>({
  code: "cdr/lock-changed",
  severity: "warning",
  message: ({ what, how }) => `${what} ${how}: the lock says otherwise`,
  explanation: `\`cdrc lock FILE\` writes digests of all that a file reads into \`FILE.lock\`: imports, the standard library, local data, revisions on the
Hub, sources of plugins, the edition. Where one of them is different now, a run would not be the run that was locked.`,
  fix: "Run `cdrc lock FILE` again where the change is meant, or bring the file back to what was locked.",
});

export const lockUnreadable = define({
  code: "cdr/lock-unreadable",
  severity: "warning",
  message: () => "its lock cannot be read by this version of cdrc",
  explanation: `The \`.lock\` file beside it is no lock that this version writes.`,
  fix: "Run `cdrc lock FILE` again.",
});
