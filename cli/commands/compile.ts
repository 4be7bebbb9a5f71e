/** `cdrc compile FILE -o DIR`. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { emitBundle } from "../bundle.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import type { BundleFile } from "../../compiler/bundle/steps.ts";
import { writeBeside } from "../../compiler/bundle/write-beside.ts";
import { checkFiles } from "../../compiler/targets/kubernetes/file-rules.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { refuseFile, showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";
import { unwritable } from "../unreadable.ts";

interface Flags extends FrontFlags {
  readonly output: string;
  readonly json?: true;
}

export function compileCommand(): Command {
  const command = new Command("compile")
    .summary("write a bundle: engine configurations, scripts, plan and manifest")
    .argument("<file>", ".cdr file")
    .requiredOption("-o, --output <dir>", "folder to write to; an earlier bundle in it is replaced")
    .option("--json", "print one JSON document to stdout");
  return frontOptions(command).action((file: string, flags: Flags) => {
    const compiled = compileFile(file, flags);
    if ("misuse" in compiled) {
      return misuse(compiled.misuse, flags.json === true);
    }
    const diagnostics = withTriedFixes(compiled, [...compiled.diagnostics, ...compiled.unexecuted.of([], "compile")]);
    if (errorsIn(diagnostics) > 0) return refuseFile(diagnostics, flags.json === true);
    showDiagnostics(diagnostics, "auto");
    const bundle = emitBundle(compiled);
    const large = checkFiles(bundle, compiled.pipeline.launch);
    if (large.length > 0) return refuseFile(large, flags.json === true);
    const { files } = bundle;
    const written = writeFolder(resolve(flags.output), files);
    if (written !== null) {
      return misuse(written, flags.json === true);
    }
    if (flags.json === true)
      process.stdout.write(`${JSON.stringify({ bundle: flags.output, files: files.map((f) => f.path) }, null, 2)}\n`);
    else process.stdout.write(`${join(flags.output, "manifest.json")}\n`);
  });
}

/** The whole folder or nothing, with an earlier bundle in its place until the end. Returns what went wrong. */
function writeFolder(place: string, files: readonly BundleFile[]): string | null {
  const refused = occupied(place);
  if (refused !== null) return refused;
  try {
    replace(place, writeBeside(place, files));
    return null;
  } catch (error) {
    return `cannot write ${place}: ${unwritable(error)}`;
  }
}

function replace(place: string, written: string): void {
  const before = `${written}-before`;
  try {
    if (existsSync(place)) renameSync(place, before);
    renameSync(written, place);
  } catch (error) {
    if (!existsSync(place) && existsSync(before)) renameSync(before, place);
    rmSync(written, { recursive: true, force: true });
    throw error;
  }
  rmSync(before, { recursive: true, force: true });
}

/** Only an empty folder or an earlier bundle is replaced: nothing of the user's is ever deleted. */
function occupied(place: string): string | null {
  if (!existsSync(place)) return null;
  if (!statSync(place).isDirectory()) return `${place} is a file`;
  const names = readdirSync(place);
  return names.length === 0 || (names.includes("manifest.json") && names.includes("steps.json"))
    ? null
    : `${place} holds other files; name a new folder`;
}
