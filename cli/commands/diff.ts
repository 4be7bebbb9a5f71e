/** `cdrc diff A B`: what changed in meaning between two files, bundles or runs. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { Command, Option } from "commander";
import { meaningOfBundle, type File } from "../../compiler/diff/bundle.ts";
import { compare, isSame } from "../../compiler/diff/compare.ts";
import type { Fact, Meaning } from "../../compiler/diff/facts.ts";
import { valuesOf } from "../../compiler/diff/values.ts";
import { type Diagnostic, errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { findRun } from "../../runtime/state/find.ts";
import { ansiPaint, noPaint } from "../../runtime/view/paint.ts";
import { emitBundle } from "../bundle.ts";
import { type ColourFlag, isColoured } from "../colour.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { renderDiff } from "../render/diff.ts";
import { showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";

interface Flags extends FrontFlags {
  readonly exitCode?: true;
  readonly json?: true;
  readonly color: ColourFlag;
}

export function diffCommand(): Command {
  const command = new Command("diff")
    .summary("show what changed in meaning between two files, bundles or runs")
    .argument("<a>", ".cdr file, bundle folder, or run")
    .argument("<b>", ".cdr file, bundle folder, or run to compare with")
    .option("--exit-code", "exit with 1 if they differ")
    .option("--json", "print one JSON document to stdout")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    );
  return frontOptions(command).action((a: string, b: string, flags: Flags) => {
    // What the command line says is wrong of both, and told once.
    const told = new Set<string>();
    const [before, after] = [read(a, flags, told), read(b, flags, told)];
    for (const side of [before, after]) {
      if ("misuse" in side) return misuse(side.misuse, flags.json === true);
    }
    if ("misuse" in before || "misuse" in after) return;
    const unread = [before, after].filter((side) => side.unread);
    if (unread.length > 0) {
      process.exitCode = 1;
      return misread(unread.length === 2 ? `${a} and ${b}` : before.unread ? a : b, flags.json === true);
    }
    const differences = compare(before, after);
    const broken = [before, after].filter((side) => side.broken);
    const same = broken.length === 0 && isSame(differences);
    if (broken.length > 0) {
      const names = broken.length === 2 ? `${a} and ${b} have` : `${before.broken ? a : b} has`;
      process.stderr.write(
        `cdrc: ${names} errors, so only what the files say is compared, and not what follows from it\n`,
      );
    }
    if (flags.json === true) process.stdout.write(`${JSON.stringify({ same, ...differences }, null, 2)}\n`);
    else if (same) process.stdout.write(`${a} and ${b} mean the same.\n`);
    else process.stdout.write(renderDiff(differences, isColoured(process.stdout, flags.color) ? ansiPaint : noPaint));
    process.exitCode = broken.length > 0 || (flags.exitCode === true && !same) ? 1 : 0;
  });
}

/** What could not be read says nothing: all of the other file would be a difference. */
function misread(name: string, json: boolean): void {
  const message = `${name} has errors, so nothing is compared`;
  process.stderr.write(`cdrc: ${message}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ error: { message } }, null, 2)}\n`);
}

type Side = Meaning & { readonly broken: boolean; readonly unread: boolean };

function read(name: string, flags: Flags, told: Set<string>): Side | { readonly misuse: string } {
  if (existsSync(name) && statSync(name).isFile()) return readSource(name, flags, told);
  if (existsSync(join(name, "manifest.json"))) {
    return { values: null, measured: null, ...meaningOfBundle(filesIn(name)), broken: false, unread: false };
  }
  const found = findRun(name);
  if (found.kind !== "found") return { misuse: `${name} is neither a file nor a bundle nor a run` };
  const { directory } = found.run;
  return {
    values: null,
    ...meaningOfBundle(filesIn(join(directory, "bundle"))),
    measured: measuredIn(directory),
    broken: false,
    unread: false,
  };
}

function readSource(path: string, flags: Flags, told: Set<string>): Side | { readonly misuse: string } {
  const compiled = compileFile(path, flags);
  if ("misuse" in compiled) return compiled;
  const errors = compiled.diagnostics.filter((d) => d.severity === "error");
  const isNew = (diagnostic: Diagnostic): boolean => {
    const { path: place, text } = diagnostic.span.source;
    const words = [place, text, diagnostic.span.start, diagnostic.code, diagnostic.message].join("\0");
    const isFirst = !told.has(words);
    told.add(words);
    return isFirst;
  };
  showDiagnostics(withTriedFixes(compiled, errors.filter(isNew)), flags.color);
  const broken = errorsIn(errors) > 0;
  const unread = errors.some(({ code }) => code.startsWith("cdr/syntax-"));
  const consequences = broken ? { plan: null, emitted: null } : meaningOfBundle(emitBundle(compiled).files);
  return { values: valuesOf(compiled.program), measured: null, ...consequences, broken, unread };
}

function filesIn(folder: string): readonly File[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({
      path: path
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
      text: readFileSync(path, "utf8"),
    }));
}

/** The last word on each metric. */
function measuredIn(directory: string): Map<string, Fact> {
  const path = join(directory, "metrics.jsonl");
  const last = new Map<string, Fact>();
  for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
    let row: unknown = null;
    try {
      row = JSON.parse(line);
    } catch {
      // A line that is being written, or none.
    }
    for (const [name, value] of Object.entries(row ?? {})) {
      if (typeof value === "number") last.set(name, { value, origin: null });
    }
  }
  return last;
}
