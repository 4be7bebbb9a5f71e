/** Finds a benchmark by its name and prints what it returns. */
import { readdirSync } from "node:fs";
import { misuseOf } from "./usage.ts";

interface Benchmark {
  readonly run: (words: readonly string[]) => Promise<unknown>;
}

const [name = "", ...words] = process.argv.slice(2);
const helpers = new Set([
  "main.ts",
  "usage.ts",
  "measure.ts",
  "sources.ts",
  "mutate.ts",
  "mutate-foreign.ts",
  "fuzz-worker.ts",
  "plan-rules.ts",
]);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !helpers.has(file))
  .map((file) => file.slice(0, -3));

if (!names.includes(name)) misuse(`no benchmark \`${name}\`. There are: ${names.join(", ")}`);
else {
  const wrong = misuseOf(name, words);
  if (wrong === null) await measured();
  else misuse(wrong);
}

async function measured(): Promise<void> {
  const { run } = (await import(`./${name}.ts`)) as Benchmark;
  try {
    process.stdout.write(`${JSON.stringify(await run(words), null, 2)}\n`);
  } catch (error) {
    const { message, code = "" } = error as NodeJS.ErrnoException;
    // A benchmark that reads its words itself says how they are written; so does Node of options.
    if (!message.startsWith("usage: ") && !code.startsWith("ERR_PARSE_ARGS")) throw error;
    misuse(message);
  }
}

function misuse(message: string): void {
  process.stderr.write(`bench: ${message}\n`);
  process.exitCode = 2;
}
