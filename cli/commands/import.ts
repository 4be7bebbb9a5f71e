/** `cdrc import FILE…`. */
import { existsSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import writeFileAtomic from "write-file-atomic";
import { isEstimate } from "../../compiler/import/estimate.ts";
import type { Imported } from "../../compiler/import/import.ts";
import { leftOutTogether } from "../../compiler/import/left-out.ts";
import { errorsIn, type Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { positionAt } from "../../dsl/source/source.ts";
import { toJson } from "../../dsl/diagnostics/json.ts";
import type { ColourFlag } from "../colour.ts";
import { engineFlag } from "../engine-flag.ts";
import { importFiles } from "../import-files.ts";
import { misuse } from "../misuse.ts";
import { output } from "../output.ts";
import { showDiagnostics } from "../report-diagnostics.ts";
import { unwritable } from "../unreadable.ts";

interface Flags {
  readonly output?: string;
  readonly force?: true;
  readonly launch?: number;
  readonly json?: true;
  readonly world?: number;
  readonly gpusPerNode?: number;
  readonly gpu?: string;
  readonly model?: string;
  readonly engine?: ReadonlyMap<string, string>;
  readonly color: ColourFlag;
}

export function importCommand(): Command {
  return new Command("import")
    .summary("turn the scripts, JSON, YAML and manifests of a launch into a .cdr file")
    .argument("<file...>", "files of one launch (a script and its configurations), or a folder with one launch")
    .option("-o, --output <file>", "file to write (default: stdout)")
    .option("--force", "overwrite an existing file")
    .option("--launch <n>", "which launch to import, if the files contain several", count)
    .option("--world <n>", "number of ranks, if the files do not say", count)
    .option("--gpus-per-node <n>", "GPUs per node, if the files do not say", count)
    .option("--gpu <name>", "GPU model, if the files do not say: h100, a100, …")
    .option("--model <file>", "config.json of the model that the launch trains")
    .option(
      "--engine <name=version>",
      "release of an engine, if the files do not say: megatron=0.15 (repeatable)",
      engineFlag,
    )
    .option("--json", "print one JSON document to stdout")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    )
    .action(run);
}

function run(files: readonly string[], flags: Flags): void {
  const isJson = flags.json === true;
  if (flags.output !== undefined && flags.force !== true && existsSync(flags.output))
    return misuse(`${flags.output} exists already; --force replaces it`, isJson);
  const paths = [...files, ...(flags.model === undefined ? [] : [flags.model])];
  const imported = importFiles(paths, flags, flags.launch ?? null);
  if ("misuse" in imported) return misuse(imported.misuse, isJson);
  const wrong = errorsIn([...imported.diagnostics, ...imported.problems]);
  process.exitCode = imported.text === null || wrong > 0 ? 1 : 0;
  if (flags.output !== undefined && imported.text !== null) {
    try {
      writeFileAtomic.sync(flags.output, imported.text);
    } catch (error) {
      return misuse(`cannot write ${flags.output}: ${unwritable(error)}`, isJson);
    }
  }
  if (isJson) return output("stdout", `${JSON.stringify(documentOf(imported, flags.output ?? null), null, 2)}\n`);
  if (imported.diagnostics.length > 0) showDiagnostics(leftOutTogether(imported.diagnostics), flags.color);
  if (imported.text === null) return;
  if (flags.output === undefined) output("stdout", imported.text);
  output("stderr", summary(imported, flags.output ?? null));
}

function documentOf(imported: Imported, file: string | null): unknown {
  const { text, guesses, raw, changed, notRun, launches, kinds, diagnostics, problems } = imported;
  return {
    file: text === null ? null : file,
    text,
    guesses,
    raw,
    changed,
    not_run: notRun,
    launches,
    kinds,
    ...toJson([...diagnostics, ...problems]),
  };
}

function summary({ guesses, raw, problems }: Imported, file: string | null): string {
  const lines = guesses.map(
    ({ line, name, value, why }) => `  line ${line}: ${name}${value === null ? "" : ` = ${value}`}: ${why}\n`,
  );
  const line = ({ message, span: { source, start } }: Diagnostic): string =>
    `  line ${positionAt(source, start).line + 1}: ${message}\n`;
  const told = problems.filter(({ severity }) => severity === "error").map(line);
  const estimated = problems.filter(isEstimate).map(line);
  return [
    ...(file === null
      ? []
      : [
          `${file} is written; ${raw.length === 1 ? "1 setting is" : `${raw.length} settings are`} in the engine's own words\n`,
        ]),
    ...(lines.length === 0 ? [] : [`guessed, since no file gives it:\n`, ...lines]),
    ...(told.length === 0
      ? []
      : [`errors of the launch, as \`cdrc check\` reports them for the written file:\n`, ...told]),
    ...(estimated.length === 0
      ? []
      : [`by the estimate; the launch itself may have shown otherwise:\n`, ...estimated]),
  ].join("");
}

function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1) throw new InvalidArgumentError("a whole number of at least 1.");
  return value;
}
