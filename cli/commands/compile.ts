/** `cdrc compile FILE -o DIR`. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { emitBundle } from "../bundle.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { refuseFile, showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";

interface Flags extends FrontFlags {
  readonly output: string;
  readonly json?: true;
}

export function compileCommand(): Command {
  const command = new Command("compile")
    .summary("write the bundle: engine configurations, scripts, plan and manifest")
    .argument("<file>", "a .cdr file")
    .requiredOption("-o, --output <dir>", "the folder to write; what it held of an earlier bundle is replaced")
    .option("--json", "one JSON document on stdout");
  return frontOptions(command).action((file: string, flags: Flags) => {
    const compiled = compileFile(file, flags);
    if ("misuse" in compiled) {
      return misuse(compiled.misuse, flags.json === true);
    }
    const diagnostics = withTriedFixes(compiled, [...compiled.diagnostics, ...compiled.unexecuted.of([])]);
    if (errorsIn(diagnostics) > 0) return refuseFile(diagnostics, flags.json === true);
    showDiagnostics(diagnostics, "auto");
    const { files } = emitBundle(compiled);
    const written = writeFolder(resolve(flags.output), files);
    if (written !== null) {
      return misuse(written, flags.json === true);
    }
    if (flags.json === true)
      process.stdout.write(`${JSON.stringify({ bundle: flags.output, files: files.map((f) => f.path) }, null, 2)}\n`);
    else process.stdout.write(`${join(flags.output, "manifest.json")}\n`);
  });
}

/** The whole folder or nothing: written beside its place, then renamed. Returns what went wrong. */
function writeFolder(
  place: string,
  files: readonly { readonly path: string; readonly text: string; readonly executable?: boolean }[],
): string | null {
  const temporary = join(dirname(place), `.${process.pid}.cdrc`);
  const refused = occupied(place);
  if (refused !== null) return refused;
  try {
    for (const file of files) {
      const path = join(temporary, file.path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file.text, { mode: file.executable === true ? 0o755 : 0o644 });
    }
    rmSync(place, { recursive: true, force: true });
    renameSync(temporary, place);
    return null;
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    return `cannot write ${place}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Only an empty folder or an earlier bundle is replaced: nothing of the user's is ever deleted. */
function occupied(place: string): string | null {
  const { existsSync, readdirSync, statSync } = process.getBuiltinModule("node:fs");
  if (!existsSync(place)) return null;
  if (!statSync(place).isDirectory()) return `${place} is a file`;
  const names = readdirSync(place);
  return names.length === 0 || (names.includes("manifest.json") && names.includes("steps.json"))
    ? null
    : `${place} holds other files; name a new folder`;
}
