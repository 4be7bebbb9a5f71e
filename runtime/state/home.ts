/** Where is kept what is a user's and no project's: pointers to runs, words of detached commands, the library as files. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export function stateHome(env: NodeJS.ProcessEnv = process.env): string {
  const base = env["XDG_STATE_HOME"];
  // The XDG specification has relative paths ignored.
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), ".local", "state"), "cdr");
}
