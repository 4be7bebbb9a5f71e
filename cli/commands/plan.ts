/** `cdrc plan FILE`. */
import { Command, Option } from "commander";
import { planDocument } from "../../compiler/plan-document.ts";
import { type ColourFlag, isColoured } from "../colour.ts";
import { compileFile, type FileCompilation, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { output } from "../output.ts";
import { ansiPaint, noPaint } from "../../runtime/view/paint.ts";
import { type PlanPalette, renderModels, renderPlan } from "../render/plan.ts";
import { terminalOf } from "../terminal.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { stopwatch } from "../stats.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
  readonly stats?: true;
  readonly html?: string;
  readonly color: ColourFlag;
}

export function planCommand(): Command {
  const command = new Command("plan")
    .summary("size the model, choose the layout, and estimate memory, time and cost")
    .argument("<file>", ".cdr file")
    .option("--json", "print one JSON document to stdout")
    .option("--html <file>", "also write an HTML page: memory by rank, time by part, scaling")
    .option("--stats", "print how long each phase took")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    );
  return frontOptions(command).action(async (file: string, flags: Flags) => {
    const watch = stopwatch();
    const compiled = compileFile(file, flags, watch.timing);
    if ("misuse" in compiled) {
      return misuse(compiled.misuse, flags.json === true);
    }
    let said: object = { diagnostics: [], summary: { errors: 0, warnings: 0 } };
    if (compiled.diagnostics.length > 0) {
      // What measures characters is large, and no part of a snapshot.
      const { showDiagnostics } = await import("../report-diagnostics.ts");
      const { toJson } = await import("../../dsl/diagnostics/json.ts");
      const { withTriedFixes } = await import("../tried.ts");
      const told = withTriedFixes(compiled);
      showDiagnostics(told, flags.color);
      said = toJson(told);
    }
    if (flags.stats === true) watch.say();
    const isWrong = errorsIn(compiled.diagnostics) > 0;
    process.exitCode = isWrong ? 1 : 0;
    if (flags.html !== undefined) {
      // The drawing libraries are large, and no other way of showing a plan needs them.
      const { writePlanPage } = await import("../plan-page/write.ts");
      const wrong = await writePlanPage(flags.html, file, compiled);
      if (wrong !== null) return misuse(`cannot write ${flags.html}: ${wrong}`, flags.json === true);
      output("stderr", `${flags.html}\n`);
    }
    if (flags.json === true)
      output("stdout", `${JSON.stringify({ ...planDocument(compiled.plan), ...said }, null, 2)}\n`);
    else if (compiled.plan.stages.length > 0 || !isWrong) {
      const terminal = terminalOf("stdout");
      const paint = isColoured(terminal, flags.color) ? ansiPaint : noPaint;
      const columns = Math.min(118, terminal.columns ?? 118);
      if (compiled.plan.stages.length > 0) output("stdout", `${renderPlan(compiled.plan, paint, columns)}\n`);
      else await showModels(file, compiled, paint, columns);
    }
  });
}

/** Of a file that plans no stage, the models that it declares. */
async function showModels(
  file: string,
  compiled: FileCompilation,
  paint: PlanPalette,
  columns: number,
): Promise<void> {
  const { modelsOf } = await import("../../compiler/sized-models.ts");
  output("stdout", renderModels(modelsOf(compiled), paint, columns));
  output("stderr", `${file}: no stage is planned\n`);
}
