/** One walk in the environment of an engine: a Python program that prints rows, and what we say of each. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Walk {
  readonly count: number;
  readonly seed: number;
  /** A file of verdicts whose accepted rows are where walks begin. */
  readonly bases: string | null;
  readonly builds: boolean;
}

export interface Said {
  readonly code: string;
  readonly message: string;
  /** It is about a part of the start that the walk does not go through. */
  readonly isLater: boolean;
}

export interface Walked {
  readonly id: string;
  /** `late` where the engine took too long for a verdict. */
  readonly engine: "ok" | "error" | "late";
  /** The engine's words, where it refuses or comes to no end. */
  readonly said: string;
  readonly ours: readonly Said[];
  /** The launch itself. */
  readonly row: unknown;
}

/** Gives a program its input, and each line that it prints to `take`. */
export async function walked<T>(
  python: string,
  program: string,
  words: readonly string[],
  input: string,
  take: (line: string) => T,
): Promise<readonly T[]> {
  const child = spawn(python, [join(import.meta.dirname, program), ...words], { stdio: ["pipe", "pipe", "pipe"] });
  const errors: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  child.stdin.on("error", () => undefined).end(input);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const taken: T[] = [];
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("{")) taken.push(take(line));
  const status = await closed;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${errors.join("").slice(-2000)}`);
  return taken;
}
