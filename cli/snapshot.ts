/**
 * `cdrc check` as a V8 startup snapshot. This runs once, when cdrc is built; what it leaves in the heap (modules, grammar,
 * commands, the bytecode of what the check below called) is where every `cdrc check` then starts. What it leaves is read
 * at each start, so the less the better.
 */
import { join } from "node:path";
import { queryObjects, setFlagsFromString, startupSnapshot } from "node:v8";
import { packageRoot } from "../compiler/package-root.ts";
import { checkCommand } from "./commands/check.ts";
import { guarded, programOf } from "./main.ts";

/** What was loaded of the modules that most checks do without; scripts/lazy-modules.mjs. */
declare const cdrOpened: ReadonlySet<string>;

const program = programOf([checkCommand()]);
const check = (words: readonly string[]): Promise<unknown> => program.parseAsync(words, { from: "user" });
const stackTraceLimit = 10;

startupSnapshot.setDeserializeMainFunction(() => {
  // What bin/cdrc set for the start of this process is not the user's.
  if (process.env["GLIBC_TUNABLES"] === "glibc.malloc.hugetlb=1") delete process.env["GLIBC_TUNABLES"];
  Error.stackTraceLimit = stackTraceLimit;
  process.exitCode = undefined;
  void guarded(() => check(process.argv.slice(2))).then(() => process.exit());
});

void warmUp();

async function warmUp(): Promise<void> {
  // Behind the evaluation of this module, whose own bytecode and literals are to go too.
  await new Promise((done) => setTimeout(done, 1));
  forgetBytecode();
  // As JSON, since a stream to a terminal cannot be kept.
  await check(["check", "--json", join(packageRoot(), "examples/quickstart.cdr")]);
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
