/** Where this user's pointers to runs are kept. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export function stateHome(env: NodeJS.ProcessEnv = process.env): string {
  const base = env["XDG_STATE_HOME"];
  // The XDG specification has relative paths ignored.
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), ".local", "state"), "cdr");
}
