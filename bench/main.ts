/** Finds a benchmark by its name and prints what it returns. */
import { readdirSync } from "node:fs";

interface Benchmark {
  readonly run: (words: readonly string[]) => Promise<unknown>;
}

const [name = "", ...words] = process.argv.slice(2);
const helpers = new Set(["main.ts", "measure.ts", "sources.ts", "mutate.ts", "mutate-foreign.ts", "fuzz-worker.ts"]);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !helpers.has(file))
  .map((file) => file.slice(0, -3));

if (names.includes(name)) {
  const { run } = (await import(`./${name}.ts`)) as Benchmark;
  process.stdout.write(`${JSON.stringify(await run(words), null, 2)}\n`);
} else {
  process.stderr.write(`bench: no benchmark \`${name}\`. There are: ${names.join(", ")}\n`);
  process.exitCode = 2;
}
