/** `cdrc lock F`: digests of all that a file reads, in `F.lock`. */
import { existsSync, readFileSync } from "node:fs";
import { Command } from "commander";
import writeFileAtomic from "write-file-atomic";
import { lockText } from "../../compiler/lock/lock.ts";
import { lockChanges, makeLock } from "../../compiler/lock/make.ts";
import { counted } from "../../dsl/diagnostics/counted.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { outsideOf } from "../outside.ts";
import { refuseFile, showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";

interface Flags extends FrontFlags {
  readonly check?: true;
  readonly json?: true;
}

export function lockCommand(): Command {
  const command = new Command("lock")
    .summary("pin everything a file reads: imports, data, revisions, plugin sources")
    .argument("<file>", ".cdr file; its lock is <file>.lock beside it")
    .option("--check", "write nothing; exit with 1 if anything differs from the lock")
    .option("--json", "print one JSON document to stdout");
  return frontOptions(command).action(lock);
}

function lock(file: string, flags: Flags): void {
  const isJson = flags.json === true;
  const compiled = compileFile(file, flags);
  if ("misuse" in compiled) return misuse(compiled.misuse, isJson);
  if (errorsIn(compiled.diagnostics) > 0) return refuseFile(withTriedFixes(compiled), isJson);
  const place = `${file}.lock`;
  const outside = outsideOf(compiled.program, true);
  if (flags.check === true) {
    if (!existsSync(place)) return misuse(`${place} does not exist: cdrc lock ${file} makes it`, isJson);
    const changes = lockChanges(compiled.program, readFileSync(place, "utf8"), outside);
    if (isJson)
      process.stdout.write(`${JSON.stringify({ lock: place, changed: changes.map((c) => c.message) }, null, 2)}\n`);
    else showDiagnostics(changes, "auto");
    process.exitCode = changes.length > 0 ? 1 : 0;
    return;
  }
  const made = makeLock(compiled.program, outside);
  const text = lockText(made);
  writeFileAtomic.sync(place, text);
  const open = Object.entries(made.hub).flatMap(([path, revision]) => (revision === null ? [path] : []));
  if (isJson) process.stdout.write(text);
  else {
    const counts = [made.imports, made.paths, made.hub, made.images, made.plugins].map(
      (part) => Object.keys(part).length,
    );
    const names = ["file", "path", "repository", "image", "plugin"].map((noun, i) => counted(counts[i] ?? 0, noun));
    process.stderr.write(`${place}: ${names.join(", ")}\n`);
    for (const path of open) process.stderr.write(`  ${path} has no revision: its content may change\n`);
    for (const [image, digest] of Object.entries(made.images)) {
      if (digest === null) process.stderr.write(`  ${image} has no digest: write ${image}@sha256:…\n`);
    }
  }
}
