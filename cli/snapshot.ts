/**
 * `cdrc check` as a V8 startup snapshot. This runs once, when cdrc is built; what it leaves in the heap (modules, grammar,
 * commands, the bytecode of what the check below called) is where every `cdrc check` then starts.
 */
import { join } from "node:path";
import { startupSnapshot } from "node:v8";
import { packageRoot } from "../compiler/package-root.ts";
import { checkCommand } from "./commands/check.ts";
import { guarded, programOf } from "./main.ts";

const program = programOf([checkCommand()]);
const check = (words: readonly string[]): Promise<unknown> => program.parseAsync(words, { from: "user" });

startupSnapshot.setDeserializeMainFunction(() => {
  // What bin/cdrc set for the start of this process is not the user's.
  if (process.env["GLIBC_TUNABLES"] === "glibc.malloc.hugetlb=1") delete process.env["GLIBC_TUNABLES"];
  process.exitCode = undefined;
  void guarded(() => check(process.argv.slice(2))).then(() => process.exit());
});

// As JSON, since a stream to a terminal cannot be kept.
void check(["check", "--json", join(packageRoot(), "examples/quickstart.cdr")]).then(() => {
  process.exitCode = 0;
  // Node remembers the folder it is in until it is told to go to one.
  process.chdir(".");
});
