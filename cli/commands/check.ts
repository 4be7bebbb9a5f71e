/** `cdrc check FILE…`. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { type ColourFlag } from "../colour.ts";
import { engineFlag } from "../engine-flag.ts";
import { type FrontFlags, frontOptions, gather, sourceAndOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { output } from "../output.ts";
import { stopwatch } from "../stats.ts";
import { type Compilation, compile, type CompileOptions } from "../../compiler/compile.ts";
import type { JudgedBy } from "../../compiler/foreign/engines.ts";
import { type Diagnostic, errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { positionAt } from "../../dsl/source/source.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
  readonly format: "text" | "json" | "sarif" | "github";
  readonly stats?: true;
  readonly watch?: true;
  readonly color: ColourFlag;
  readonly world?: number;
  readonly gpusPerNode?: number;
  readonly gpu?: string;
  readonly model?: string;
  readonly engine?: ReadonlyMap<string, string>;
  readonly exclude?: readonly string[];
}

export function checkCommand(): Command {
  const command = new Command("check")
    .summary("report every error in .cdr files or in the files of a launch")
    .argument("<file...>", ".cdr files; the scripts, JSON, YAML and manifests of one launch; or folders")
    .option("--json", "print one JSON document to stdout")
    .addOption(
      new Option("--format <format>", "output format").choices(["text", "json", "sarif", "github"]).default("text"),
    )
    .option("--stats", "print how long each phase took")
    .option("--watch", "check again whenever one of the files changes")
    .option("--world <n>", "number of ranks, if the files do not say", count)
    .option("--gpus-per-node <n>", "GPUs per node, if the files do not say", count)
    .option("--gpu <name>", "GPU model, if the files do not say: h100, a100, …")
    .option("--model <file>", "config.json of the model that the launch trains")
    .option(
      "--engine <name=version>",
      "release of an engine, if the files do not say: megatron=0.15 (repeatable)",
      engineFlag,
    )
    .option("--exclude <pattern>", "skip these paths in folders; .gitignore syntax (repeatable)", gather)
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    );
  return frontOptions(command).action(check);
}

async function check(files: readonly string[], flags: Flags): Promise<void> {
  if (flags.json === true && (flags.format === "sarif" || flags.format === "github"))
    return misuse(`--json and --format ${flags.format} request two documents: remove one`, true);
  if (flags.watch !== true) return void (await checkOnce(files, flags));
  if (flags.json === true || flags.format !== "text")
    return misuse("--watch writes only text, since a JSON document would never end", flags.json === true);
  const { watching } = await import("../watch.ts");
  await watching(() => checkOnce(files, flags));
  process.exitCode = 0;
}

/** What cannot be looked at is told where it is read. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The files it read. */
async function checkOnce(files: readonly string[], flags: Flags): Promise<readonly string[]> {
  const diagnostics: Diagnostic[] = [];
  const judges: JudgedBy[] = [];
  const paths = new Set(files);
  const watch = stopwatch();
  const folders = files.filter(isFolder);
  const single = folders.length === 0 ? files : files.filter((file) => !folders.includes(file));
  const own = single.filter((file) => file.endsWith(".cdr"));
  const others = single.filter((file) => !file.endsWith(".cdr"));
  if (others.length > 0) {
    const { checkForeignFiles } = await import("../foreign.ts");
    const checked = checkForeignFiles([...others, ...(flags.model === undefined ? [] : [flags.model])], flags);
    if ("misuse" in checked) {
      misuse(checked.misuse, flags.json === true);
      return [...paths];
    }
    for (const path of checked.paths) paths.add(path);
    diagnostics.push(...checked.diagnostics);
    judges.push(...checked.engines);
    if (flags.stats === true) for (const { path, kind } of checked.kinds) output("stderr", `${path}: ${kind}\n`);
  }
  const seen = new Set(diagnostics.map(identityOf));
  const tell = (diagnostic: Diagnostic): void => {
    const key = identityOf(diagnostic);
    if (!seen.has(key)) diagnostics.push(diagnostic);
    seen.add(key);
  };
  const { foundIn, foundText, foundDocument } = folders.length === 0 ? {} : await import("../folder/found.ts");
  const found = foundIn?.(folders, single, flags);
  if (found !== undefined && "misuse" in found) {
    misuse(found.misuse, flags.json === true);
    return [...paths];
  }
  for (const path of found?.paths ?? []) paths.add(path);
  for (const diagnostic of found?.diagnostics ?? []) tell(diagnostic);
  for (const file of [...own, ...(found?.own ?? [])]) {
    const asked = sourceAndOptions(file, flags);
    if ("misuse" in asked) {
      misuse(asked.misuse, flags.json === true);
      return [...paths];
    }
    const compiled = compile(asked.source, asked.options, flags.stats === true ? watch.timing : undefined);
    for (const path of compiled.program.modules.keys()) if (!path.startsWith("std/")) paths.add(path);
    const told = compiled.diagnostics.some(({ fixes }) => fixes.length > 0)
      ? (await import("../tried.ts")).withTriedFixes({ ...compiled, options: asked.options })
      : compiled.diagnostics;
    // What two files import is judged with each of them, and told once.
    for (const diagnostic of [
      ...told,
      ...(await sweepDiagnostics(compiled, asked.options)),
      ...(await lockDiagnostics(file, compiled)),
    ])
      tell(diagnostic);
  }
  const errors = errorsIn(diagnostics);
  const warnings = diagnostics.filter((d) => d.severity === "warning").length;
  await write(diagnostics, judges, flags, found === undefined ? undefined : foundDocument?.(found));
  if (flags.stats === true) watch.say();
  if (flags.json !== true && flags.format === "text") {
    const releases = [
      ...judges.map(judgeText),
      ...(found?.engines ?? []).map((by) => judgeText({ ...by, span: null })),
    ];
    if (releases.length > 0) output("stderr", `judged by ${[...new Set(releases)].join(" and ")}\n`);
    if (found !== undefined) output("stderr", foundText?.(found, flags.stats === true) ?? "");
    output("stderr", `${summary(single.length + (found?.paths.length ?? 0), errors, warnings)}\n`);
  }
  process.exitCode = errors > 0 ? 1 : 0;
  return [...paths];
}

const identityOf = ({ code, message, span: { source, start, end } }: Diagnostic): string =>
  [code, source.path, start, end, message].join("\0");

/** What is wrong at the points of its sweeps, if it has any. */
async function sweepDiagnostics(compiled: Compilation, options: CompileOptions): Promise<readonly Diagnostic[]> {
  if (!compiled.program.blocks.some(({ kind }) => kind.name === "sweep")) return [];
  const { sweepErrors } = await import("../../compiler/judge-sweeps.ts");
  return sweepErrors(compiled, options);
}

/** What is no longer as `cdrc lock` found it. */
async function lockDiagnostics(file: string, compiled: Compilation): Promise<readonly Diagnostic[]> {
  const lock = `${file}.lock`;
  if (!existsSync(lock)) return [];
  const [{ lockChanges }, { outsideOf }] = await Promise.all([
    import("../../compiler/lock/make.ts"),
    import("../outside.ts"),
  ]);
  return lockChanges(compiled.program, readFileSync(lock, "utf8"), outsideOf(compiled.program, false));
}

function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1) throw new InvalidArgumentError("a whole number of at least 1.");
  return value;
}

async function write(
  diagnostics: readonly Diagnostic[],
  judges: readonly JudgedBy[],
  flags: Flags,
  folders: unknown,
): Promise<void> {
  if (flags.json === true || flags.format === "json") {
    const { toJson } = await import("../../dsl/diagnostics/json.ts");
    const engines = Object.fromEntries(judges.map(({ engine, version, written }) => [engine, { version, written }]));
    const document = {
      ...toJson(diagnostics),
      ...(judges.length === 0 ? {} : { engines }),
      ...(folders === undefined ? {} : { folders }),
    };
    output("stdout", `${JSON.stringify(document, null, 2)}\n`);
  } else if (flags.format === "sarif") {
    const { sarifOf } = await import("../sarif-of.ts");
    output("stdout", `${JSON.stringify(sarifOf(diagnostics), null, 2)}\n`);
  } else if (flags.format === "github") {
    const { toGithub } = await import("../../dsl/diagnostics/sarif.ts");
    output("stdout", toGithub(diagnostics));
  } else if (diagnostics.length > 0) {
    const { showDiagnostics } = await import("../report-diagnostics.ts");
    showDiagnostics(diagnostics, flags.color);
  }
}

function judgeText({ engine, version, written, span }: JudgedBy): string {
  const name = `${engine === "megatron" ? "Megatron" : "DeepSpeed"} ${version}`;
  if (written === null) return `${name}, the newest known`;
  const release = version.startsWith(written) ? name : `${name}, the nearest known to ${written}`;
  return span === null
    ? release
    : `${release}, which ${span.source.path}:${positionAt(span.source, span.start).line + 1} names`;
}

function summary(files: number, errors: number, warnings: number): string {
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const found = [
    ...(errors > 0 ? [count(errors, "error")] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
  return `${count(files, "file")}: ${found.length === 0 ? "nothing wrong" : found.join(", ")}`;
}
