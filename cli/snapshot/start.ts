/**
 * A command as a V8 startup snapshot. This runs once, when cdrc is built; what it leaves in the heap (modules, grammar,
 * commands, the bytecode of what the warm-up called) is where every such command then starts. What it leaves is read
 * at each start, so the less the better.
 */
import type { Command } from "commander";
import { writeSync } from "node:fs";
import { queryObjects, setFlagsFromString, startupSnapshot } from "node:v8";
import { guarded, programOf } from "../main.ts";

/** What was loaded of the modules that most files do without; scripts/lazy-modules.mjs. */
declare const cdrOpened: ReadonlySet<string>;

const stackTraceLimit = 10;
/** As in bin/cdrc. */
const tunables = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432";

/** `warmUp`: the words of what is run once. */
export function snapshotOf(command: Command, warmUp: () => readonly (readonly string[])[]): void {
  const program = programOf([command]);
  const run = (words: readonly string[]): Promise<unknown> => program.parseAsync(words, { from: "user" });
  const start = (words: readonly string[]): Promise<unknown> => guarded(() => run(words));
  startupSnapshot.setDeserializeMainFunction(() => {
    // What bin/cdrc set for the start of this process is not the user's.
    if (process.env["GLIBC_TUNABLES"] === tunables) delete process.env["GLIBC_TUNABLES"];
    Error.stackTraceLimit = stackTraceLimit;
    process.exitCode = undefined;
    void start(process.argv.slice(2)).then(() => process.exit());
  });
  void warm(warmUp, start);
}

async function warm(
  warmUp: () => readonly (readonly string[])[],
  start: (words: readonly string[]) => Promise<unknown>,
): Promise<void> {
  // Behind the evaluation of the modules, whose own bytecode and literals are to go too.
  await new Promise((done) => setTimeout(done, 1));
  forgetBytecode();
  for (const words of warmUp()) await start(words);
  warmNode();
  // A stream would be kept, with all that it is made of.
  writeSync(1, `opened: ${[...cdrOpened].join(" ")}\nof Node: ${loadedOfNode().join(" ")}\n`);
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

/** Node's modules that are in the heap now, without those that people cannot name. */
function loadedOfNode(): readonly string[] {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  return moduleLoadList.flatMap((name) => /^NativeModule ((?!internal).*)/.exec(name)?.[1] ?? []);
}

/** Of Node's own, where it shows them. */
interface PreExecution {
  readonly prepareWorkerThreadExecution: () => void;
  readonly initializeModuleLoaders: (how: Readonly<Record<string, boolean>>) => void;
  readonly loadPreloadModules: () => void;
}

/**
 * What Node does at each start was forgotten too, and would be compiled anew each time. It cannot be done as a start does it: what is
 * kept for the real one would be done with. As a worker's start it goes most of the way, then stops at not being in a worker.
 */
function warmNode(): void {
  const found = process.getBuiltinModule("internal/process/pre_execution") as unknown as PreExecution | undefined;
  try {
    found?.prepareWorkerThreadExecution();
  } catch {
    // As it should.
  }
  try {
    found?.initializeModuleLoaders({ shouldSpawnLoaderHookWorker: false, shouldPreloadModules: false });
    found?.loadPreloadModules();
  } catch {
    // Another release of Node: its starts take a little longer.
  }
}
