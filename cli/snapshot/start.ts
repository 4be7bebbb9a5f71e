/**
 * A command as a V8 startup snapshot. This runs once, when cdrc is built; what it leaves in the heap (modules, grammar,
 * commands, the bytecode of what the warm-up called) is where every such command then starts. What it leaves is read
 * at each start, so the less the better.
 */
import type { Command } from "commander";
import { queryObjects, setFlagsFromString, startupSnapshot } from "node:v8";
import { guarded, programOf } from "../main.ts";

/** What was loaded of the modules that most files do without; scripts/lazy-modules.mjs. */
declare const cdrOpened: ReadonlySet<string>;

const stackTraceLimit = 10;

/** `warmUp`: the words of what is run once. */
export function snapshotOf(command: Command, warmUp: () => readonly (readonly string[])[]): void {
  const program = programOf([command]);
  const run = (words: readonly string[]): Promise<unknown> => program.parseAsync(words, { from: "user" });
  startupSnapshot.setDeserializeMainFunction(() => {
    // What bin/cdrc set for the start of this process is not the user's.
    if (process.env["GLIBC_TUNABLES"] === "glibc.malloc.hugetlb=1") delete process.env["GLIBC_TUNABLES"];
    Error.stackTraceLimit = stackTraceLimit;
    process.exitCode = undefined;
    void guarded(() => run(process.argv.slice(2))).then(() => process.exit());
  });
  void warm(warmUp, run);
}

async function warm(
  warmUp: () => readonly (readonly string[])[],
  run: (words: readonly string[]) => Promise<unknown>,
): Promise<void> {
  // Behind the evaluation of the modules, whose own bytecode and literals are to go too.
  await new Promise((done) => setTimeout(done, 1));
  forgetBytecode();
  for (const words of warmUp()) await run(words);
  process.stdout.write(`opened: ${[...cdrOpened].join(" ")}\n`);
  process.exitCode = 0;
  // Node remembers the folder it is in until it is told to go to one.
  process.chdir(".");
}

/** Modules were evaluated: most of what did that is never called again. To ask for objects is to collect garbage. */
function forgetBytecode(): void {
  setFlagsFromString("--stress-flush-code");
  queryObjects(Map, { format: "count" });
  setFlagsFromString("--no-stress-flush-code");
}
