/** `cdrc report NAME`. */
import { resolve } from "node:path";
import { Command } from "commander";
import { reportFacts } from "../../runtime/report/facts.ts";
import { writeReport } from "../../runtime/report/write.ts";
import { refusal, refusalOf } from "../../runtime/run/refusal.ts";
import { shown } from "../../runtime/run/document.ts";
import { colourOption, fail, nameHelp, printJson, runNamed, type LifeFlags } from "./life.ts";

interface Flags extends LifeFlags {
  readonly output?: string;
}

export function reportCommand(): Command {
  return new Command("report")
    .summary("write an HTML report of a run: curves, plan against measurement, origins")
    .argument("<name>", nameHelp)
    .option("-o, --output <file>", "file to write (default: report.html in the run directory)")
    .option("--json", "print one JSON document to stdout")
    .addOption(colourOption())
    .action(async (name: string, flags: Flags) => {
      const run = runNamed(name, flags);
      if (run === null) return;
      const page = flags.output === undefined ? undefined : resolve(flags.output);
      try {
        const path = await writeReport(run.directory, page);
        if (path === null) return void fail(refusal(`${run.directory} holds no run`), 3, flags);
        if (flags.json === true) {
          const terms = (await reportFacts(run.directory))?.terms ?? [];
          printJson({ run: run.record.id, step: run.record.step.name, report: path, terms });
        } else process.stdout.write(`${shown(path)}\n`);
      } catch (error) {
        const refused = refusalOf(error, page ?? run.directory);
        if (refused === null) throw error;
        fail(refused, 3, flags);
      }
    });
}
