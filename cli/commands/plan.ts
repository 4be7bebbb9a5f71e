/** `cdrc plan FILE`. */
import { Command, Option } from "commander";
import writeFileAtomic from "write-file-atomic";
import { planDocument } from "../../compiler/passes/emit.ts";
import { type ColourFlag, isColoured } from "../colour.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { ansiPaint, noPaint } from "../../runtime/view/paint.ts";
import { renderPlan } from "../render/plan.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { showDiagnostics } from "../report-diagnostics.ts";
import { stopwatch } from "../stats.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
  readonly stats?: true;
  readonly html?: string;
  readonly color: ColourFlag;
}

export function planCommand(): Command {
  const command = new Command("plan")
    .summary("size the model, fit it to the cluster, and say what a run will take")
    .argument("<file>", "a .cdr file")
    .option("--json", "one JSON document on stdout")
    .option("--html <file>", "write a page: memory of each rank, where time goes, speed against devices")
    .option("--stats", "say how long each phase took")
    .addOption(new Option("--color <when>", "colours").choices(["auto", "always", "never"]).default("auto"));
  return frontOptions(command).action(async (file: string, flags: Flags) => {
    const watch = stopwatch();
    const compiled = compileFile(file, flags, watch.timing);
    if ("misuse" in compiled) {
      return misuse(compiled.misuse, flags.json === true);
    }
    showDiagnostics(compiled.diagnostics, flags.color);
    if (flags.stats === true) watch.say();
    process.exitCode = errorsIn(compiled.diagnostics) > 0 ? 1 : 0;
    if (flags.html !== undefined && compiled.plan.stages.length > 0) {
      // The drawing libraries are large, and no other way of showing a plan needs them.
      const { planPage } = await import("../plan-page/page.ts");
      try {
        await writeFileAtomic(flags.html, await planPage(file, compiled.pipeline, compiled.plan));
      } catch (error) {
        return misuse(`cannot write ${flags.html}: ${(error as Error).message}`, flags.json === true);
      }
      process.stderr.write(`${flags.html}\n`);
    }
    if (flags.json === true) process.stdout.write(`${JSON.stringify(planDocument(compiled.plan), null, 2)}\n`);
    else if (compiled.plan.stages.length > 0) {
      const width = Math.min(118, process.stdout.columns ?? 118);
      process.stdout.write(
        `${renderPlan(compiled.plan, isColoured(process.stdout, flags.color) ? ansiPaint : noPaint, width)}\n`,
      );
    }
  });
}
