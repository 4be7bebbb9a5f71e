/** `cdrc fmt [FILE…]`. */
import { globSync, readFileSync, statSync } from "node:fs";
import { text as textOf } from "node:stream/consumers";
import { join } from "node:path";
import { Command, Option } from "commander";
import writeFileAtomic from "write-file-atomic";
import { type Diagnostic, errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { toJson } from "../../dsl/diagnostics/json.ts";
import { format } from "../../dsl/format/format.ts";
import type { ColourFlag } from "../colour.ts";
import { misuse } from "../misuse.ts";
import { unreadable } from "../unreadable.ts";
import { showDiagnostics } from "../report-diagnostics.ts";

interface Flags {
  readonly check?: true;
  readonly stdin?: true;
  readonly json?: true;
  readonly color: ColourFlag;
}

export function fmtCommand(): Command {
  return new Command("fmt")
    .summary("format .cdr files")
    .argument("[files...]", ".cdr files or folders (default: all below the current folder)")
    .option("--check", "write nothing; list the files that would change, and exit with 1 if any would")
    .option("--stdin", "format stdin to stdout")
    .option("--json", "print one JSON document to stdout")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    )
    .action(fmt);
}

async function fmt(paths: readonly string[], flags: Flags): Promise<void> {
  const json = flags.json === true;
  if (flags.stdin === true) {
    if (paths.length > 1 || flags.check === true || json)
      return misuse("--stdin takes at most one name, for messages, and no other option", json);
    return filter(paths[0] ?? "stdin", flags);
  }
  const files = filesOf(paths.length === 0 ? ["."] : paths);
  if ("misuse" in files) return misuse(files.misuse, json);
  const changed: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { path, text } of files.files) {
    const result = format({ path, text });
    for (const one of result.diagnostics) diagnostics.push(one);
    if (result.text === text) continue;
    changed.push(path);
    if (flags.check !== true) await writeFileAtomic(path, result.text);
  }
  if (json) {
    const document = { files: files.files.length, changed, ...toJson(diagnostics) };
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    showDiagnostics(diagnostics, flags.color);
    for (const path of changed) process.stdout.write(`${path}\n`);
  }
  process.exitCode = errorsIn(diagnostics) > 0 || (flags.check === true && changed.length > 0) ? 1 : 0;
}

async function filter(path: string, flags: Flags): Promise<void> {
  const { text, diagnostics } = format({ path, text: await textOf(process.stdin) });
  showDiagnostics(diagnostics, flags.color);
  process.stdout.write(text);
  process.exitCode = errorsIn(diagnostics) > 0 ? 1 : 0;
}

type Files = { readonly files: readonly { readonly path: string; readonly text: string }[] };

function filesOf(paths: readonly string[]): Files | { readonly misuse: string } {
  const files: { path: string; text: string }[] = [];
  for (const path of paths) {
    let reading = path;
    try {
      for (const each of statSync(path).isDirectory() ? inFolder(path) : [path]) {
        reading = each;
        files.push({ path: each, text: readFileSync(each, "utf8") });
      }
    } catch (error) {
      return { misuse: `cannot read ${reading}: ${unreadable(error)}` };
    }
  }
  return { files };
}

/** What is installed, built or hidden is nobody's to lay out. */
function inFolder(folder: string): readonly string[] {
  const exclude = (name: string): boolean => /(^|[\\/])(node_modules|\.[^./\\][^/\\]*)$/.test(name);
  return globSync("**/*.cdr", { cwd: folder, exclude })
    .sort()
    .map((path) => join(folder, path));
}
