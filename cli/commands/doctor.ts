/** `cdrc doctor [FILE]`. */
import { Command, Option } from "commander";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { ansiPaint, noPaint } from "../../runtime/view/paint.ts";
import { type ColourFlag, isColoured } from "../colour.ts";
import { type Finding, findings } from "../doctor/findings.ts";
import { type Needs, needsOf } from "../doctor/needs.ts";
import { probe } from "../doctor/probe.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
  readonly color: ColourFlag;
}

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .summary("check what this machine offers and what a file still needs, with fixes")
    .argument("[file]", ".cdr file")
    .option("--json", "print one JSON document to stdout")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    );
  return frontOptions(command).action(doctor);
}

async function doctor(file: string | undefined, flags: Flags): Promise<void> {
  let needs: Needs | null = null;
  if (file !== undefined) {
    const compiled = compileFile(file, flags);
    if ("misuse" in compiled) return misuse(compiled.misuse, flags.json === true);
    const errors = compiled.diagnostics.filter((d) => d.severity === "error");
    showDiagnostics(withTriedFixes(compiled, errors), flags.color);
    if (errorsIn(errors) > 0) {
      process.exitCode = 1;
      return;
    }
    needs = needsOf(compiled);
  }
  const machine = await probe(process.cwd());
  const found = findings(machine, needs, (name) => (process.env[name] ?? "") !== "");
  const isFit = found.every(({ state }) => state !== "missing");
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ fit: isFit, findings: found, machine, needs }, null, 2)}\n`);
  } else process.stdout.write(render(found, isColoured(process.stdout, flags.color)));
  process.exitCode = isFit ? 0 : 1;
}

function render(found: readonly Finding[], isColour: boolean): string {
  const paint = isColour ? ansiPaint : noPaint;
  const width = Math.max(...found.map(({ name }) => name.length));
  const brushes = { ok: paint.green, absent: paint.dim, missing: paint.red };
  const lines = found.map(({ name, state, says, mend }) => {
    const after = mend === null ? "" : paint.dim(`  ${mend}`);
    return `${brushes[state](state.padEnd(7))}  ${name.padEnd(width)}  ${says}${after}`;
  });
  return `${lines.join("\n")}\n`;
}
