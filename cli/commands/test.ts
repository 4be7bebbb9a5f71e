/** `cdrc test F [NAME…]`: the `test` blocks of a file. */
import { Command, Option } from "commander";
import { type Diagnostic, errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { toJson } from "../../dsl/diagnostics/json.ts";
import { runTrials, type TrialResult } from "../../compiler/trials.ts";
import type { ColourFlag } from "../colour.ts";
import { type FrontFlags, frontOptions, sourceAndOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
  readonly color: ColourFlag;
}

export function testCommand(): Command {
  const command = new Command("test")
    .summary("run the tests in a file")
    .argument("<file>", ".cdr file")
    .argument("[title...]", "titles of the tests to run (default: all)")
    .option("--json", "print one JSON document to stdout")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    );
  return frontOptions(command).action(test);
}

function test(file: string, names: readonly string[], flags: Flags): void {
  const asked = sourceAndOptions(file, flags);
  if ("misuse" in asked) return misuse(asked.misuse, flags.json === true);
  const { base, results, titles } = runTrials(asked.source, asked.options, names);
  const absent = names.find((name) => !titles.includes(name));
  if (absent !== undefined) {
    const known = titles.map((t) => JSON.stringify(t)).join(", ");
    return misuse(
      `${file} has no test ${JSON.stringify(absent)}${known === "" ? "" : `: ${known}`}`,
      flags.json === true,
    );
  }
  const failed = results.filter((r) => !r.passed).length;
  const told = withTriedFixes({ ...base, options: asked.options });
  const isBroken = errorsIn(told) > 0;
  if (flags.json === true) process.stdout.write(`${JSON.stringify(documentOf(results, told), null, 2)}\n`);
  else {
    if (isBroken) showDiagnostics(told, flags.color);
    const said = new Set(base.diagnostics.map(placeOf));
    for (const result of results) showResult(result, said, flags.color);
    process.stderr.write(`${results.length - failed} passed, ${failed} failed\n`);
  }
  process.exitCode = failed > 0 || isBroken ? 1 : 0;
}

function documentOf(results: readonly TrialResult[], diagnostics: Parameters<typeof toJson>[0]): unknown {
  return {
    tests: results.map(({ title, point, passed, asserts, errors }) => ({
      name: title,
      point,
      passed,
      asserts: asserts.map(({ line, text, outcome, values }) => ({ line, condition: text, outcome, values })),
      diagnostics: toJson(errors).diagnostics,
    })),
    summary: { passed: results.filter((r) => r.passed).length, failed: results.filter((r) => !r.passed).length },
    diagnostics: toJson(diagnostics).diagnostics,
  };
}

const placeOf = ({ code, span, message }: Diagnostic): string =>
  [code, span.source.path, span.start, message].join("\0");

/** What the file says without the test is not said again. */
function showResult(
  { title, point, passed, asserts, errors }: TrialResult,
  said: ReadonlySet<string>,
  colour: ColourFlag,
): void {
  const at = Object.entries(point).map(([path, value]) => `${path} = ${value}`);
  process.stdout.write(`${passed ? "passed" : "FAILED"}  ${title}${at.length === 0 ? "" : ` (${at.join(", ")})`}\n`);
  for (const { line, text, outcome, values } of asserts) {
    if (outcome === "passed" && passed) continue;
    process.stdout.write(`  ${outcome.padEnd(8)}  line ${line}: ${text}${values === "" ? "" : ` (${values})`}\n`);
  }
  const own = errors.filter((error) => !said.has(placeOf(error)));
  if (!passed) showDiagnostics(own, colour);
}
