/** `cdrc explain CODE`, `cdrc explain PATH FILE`: a path of the plan, else of a block as the file says it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { allDefinitions } from "../../compiler/diagnostics/index.ts";
import { packageRoot } from "../../compiler/package-root.ts";
import { describeOrigin } from "../../compiler/passes/report.ts";
import { slugOf } from "../../compiler/reference/diagnostic-page.ts";
import type { Compilation } from "../../compiler/compile.ts";
import { explain, startOf } from "../../compiler/explain/explain.ts";
import type { Explanation } from "../../compiler/explain/explanation.ts";
import { nearestPath } from "../../compiler/explain/nearest-path.ts";
import { describeInstance } from "../../dsl/eval/blocks/instance.ts";
import { positionAt } from "../../dsl/source/source.ts";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { shownValue } from "../../dsl/eval/shown-value.ts";
import { misuse } from "../misuse.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
}

export function explainCommand(): Command {
  const command = new Command("explain")
    .summary("explain a diagnostic, or where a value came from")
    .argument(
      "<what>",
      "diagnostic code (`cdr/unit-missing`), or path of a value in a block or a plan (`pretrain.batch.accumulation`)",
    )
    .argument("[file]", ".cdr file that the path belongs to")
    .option("--json", "print one JSON document to stdout");
  return frontOptions(command).action(async (what: string, file: string | undefined, flags: Flags) => {
    // No path has a slash: a code is one beside a file, too.
    const isCode = file === undefined || what.startsWith("cdr/");
    const rows = isCode ? null : await explainPath(what, file, flags);
    const text = isCode ? explainCode(what, flags.json === true) : rows === null ? null : outlineOf(rows);
    if (text === null) return;
    const document = { what, explanation: text, ...(rows === null ? {} : { values: rows.map(documentOf) }) };
    process.stdout.write(flags.json === true ? `${JSON.stringify(document, null, 2)}\n` : `${text}\n`);
  });
}

function explainCode(what: string, json: boolean): string | null {
  const code = what.startsWith("cdr/") ? what : `cdr/${what}`;
  const definition = allDefinitions.find((d) => d.code === code);
  if (definition !== undefined) return textOf(definition);
  const best = nearest(
    code,
    allDefinitions.map((d) => d.code),
  );
  return refuse(
    `there is no diagnostic ${code}${best === null ? "." : `; did you mean ${best}?`} A path of a plan needs its file: cdrc explain ${what} FILE`,
    json,
  );
}

/** Cause, example and fix, as on the page of the code. */
function textOf({ code, severity, explanation, source, fix }: (typeof allDefinitions)[number]): string {
  const example = exampleOf(code);
  const parts = [
    `${code} (${severity})`,
    explanation,
    example === null ? [] : `Example:\n${example.replaceAll(/^(?=.)/gm, "  ")}`,
    source === null ? [] : `Source: ${source}`,
    `Fix: ${fix}`,
  ];
  return parts.flat().join("\n\n");
}

/** A file with the mistake, as a check tells of it, where the pages were installed too. */
function exampleOf(code: string): string | null {
  const path = join(packageRoot(), "docs/diagnostics", `${slugOf(code)}.md`);
  const page = existsSync(path) ? readFileSync(path, "utf8") : "";
  const example = /^## Example\n([^]*?)\n(?=## |`cdrc explain )/m.exec(page)?.[1];
  return example?.replaceAll(/^```.*\n?/gm, "").trim() ?? null;
}

async function explainPath(what: string, file: string, flags: Flags): Promise<readonly Explanation[] | null> {
  const json = flags.json === true;
  const compiled = compileFile(file, flags);
  if ("misuse" in compiled) return refuse(compiled.misuse, json);
  const rows = explain(compiled, what);
  const errors = compiled.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    // What an error touches has no value, and nobody should take its absence for one.
    const { showDiagnostics } = await import("../report-diagnostics.ts");
    const { withTriedFixes } = await import("../tried.ts");
    showDiagnostics(withTriedFixes(compiled, errors), "auto");
    process.exitCode = 1;
    const sound = rows.filter(({ known }) => known);
    return sound.length > 0 ? sound : null;
  }
  if (rows.length > 0) return rows;
  return refuse(missing(compiled, what, file), json);
}

/** What there is instead of a path that leads nowhere. */
function missing(compiled: Compilation, what: string, file: string): string {
  const { meant, prefix, valid } = nearestPath(compiled, what);
  const names = valid.map((name) => `\`${name}\``).join(", ");
  if (prefix === "" && meant === null)
    return `nothing is called \`${what.split(".")[0] ?? ""}\` in ${file}: ${names}`;
  const whole = compiled.program.root.names.get(what);
  if (whole?.kind === "namespace") {
    const brought = [...whole.of.names.values()].filter(
      ({ module, kind }) => module === whole.of && kind !== "namespace",
    );
    return `\`${what}\` is a whole file: it has ${brought.map(({ name }) => `\`${what}.${name.text}\``).join(", ")}`;
  }
  const { block, rest } = startOf(compiled, what.split("."));
  const [name = ""] = rest;
  const own =
    block === null ? `\`${what}\` is not in ${file}` : `${describeInstance(block)} has no \`${rest.join(".")}\``;
  const instead = block?.kind.foreign?.[rest.join(".")]?.instead;
  const isElsewhere = meant !== null && meant.endsWith(`.${rest.join(".")}`) && meant !== what;
  if (instead !== undefined && !isElsewhere) return `${own}: ${instead}`;
  if (meant !== null && meant !== what) return `${own}; did you mean \`${meant}\`?`;
  if (meant !== null || valid.length === 0) return name === "" ? own : `${own}: nothing follows \`${prefix}\``;
  return `${own}: behind \`${prefix}\` stand ${names}`;
}

function outlineOf(rows: readonly Explanation[]): string {
  const told = new Set<string>();
  return rows.map((row) => outline(row, told, "", insideOf(row))).join("\n");
}

/** `batch.micro_batch` of `pretrain.batch.micro_batch`: how what follows from it names it. */
const insideOf = ({ path }: Explanation): string => path.slice(path.indexOf(".") + 1);

/** The chain as an outline: what a value was computed from stands below it, and nothing twice. */
function outline(
  { path, value, origin, text, from }: Explanation,
  told: Set<string>,
  indent = "",
  inside = path,
): string {
  if (told.has(path) || told.has(inside)) return `${indent}${path} ${shownValue(value)}, as above`;
  told.add(path).add(inside);
  const written = text === null ? "" : `: ${text}`;
  const own = [`${indent}${path} ${shownValue(value)}`, `${indent}  ${describeOrigin(origin)}${written}`];
  return [...own, ...from.map((inner) => outline(inner, told, `${indent}    `))].join("\n");
}

/** With places as people and editors count them, from 1. */
function documentOf({ path, value, origin, text, span, from }: Explanation): unknown {
  const place = span === null ? null : { file: span.source.path, line: positionAt(span.source, span.start).line + 1 };
  return { path, value, origin: describeOrigin(origin), kind: origin.kind, text, place, from: from.map(documentOf) };
}

function refuse(message: string, json: boolean): null {
  misuse(message, json);
  return null;
}
