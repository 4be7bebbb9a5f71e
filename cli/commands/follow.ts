/** Commands that show a run until it ends. */
import { Command } from "commander";
import type { Known } from "../../runtime/run/known.ts";
import { colourOption, nameHelp, runNamed, sayWhich, talk, type LifeFlags } from "./life.ts";

export function followCommand(name: string, summary: string, follow: (known: Known) => Promise<number>): Command {
  return new Command(name)
    .summary(summary)
    .argument("<name>", nameHelp)
    .option("--json", "print one JSON document to stdout at the end")
    .addOption(colourOption())
    .action(async (named: string, flags: LifeFlags) => {
      const run = runNamed(named, flags);
      if (run === null) return;
      sayWhich(run, flags);
      process.exitCode = await follow({ ...run, screen: talk(flags), json: flags.json === true });
    });
}
