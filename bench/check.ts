/** `cdrc check` as a whole process, as a shell starts it, beside a Node that does nothing. */
import { join } from "node:path";
import { race, table } from "./measure.ts";

const root = join(import.meta.dirname, "..");

export async function run(words: readonly string[]): Promise<unknown> {
  const file = words.find((word) => word.endsWith(".cdr")) ?? "examples/quickstart.cdr";
  const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 30);
  const timings = race(
    [
      { name: "node -e 0", command: [process.execPath, "-e", "0"] },
      { name: `cdrc check ${file}`, command: [join(root, "bin/cdrc"), "check", file] },
      { name: "without snapshot", command: [process.execPath, join(root, "bin/cdrc.mjs"), "check", file] },
    ],
    rounds,
  );
  table(timings);
  return { file, rounds, timings };
}
