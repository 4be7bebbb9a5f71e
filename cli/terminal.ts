/** What is known of where stdout or stderr goes to. Node's own streams take longer to load than a whole `cdrc check` may last. */
import { fstatSync, statSync } from "node:fs";

export interface Terminal {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
}

const none: Terminal = { isTTY: false, columns: undefined };

export function terminalOf(stream: "stdout" | "stderr"): Terminal {
  return mayBeTerminal(stream === "stdout" ? 1 : 2) ? process[stream] : none;
}

/** A pipe, a file and nowhere have neither colours nor a width. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isCharacterDevice() && found.rdev !== statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
  } catch {
    return false;
  }
}
