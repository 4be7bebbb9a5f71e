/** `cdrc resume NAME`. */
import { Command } from "commander";
import { resume } from "../../runtime/run/known.ts";
import { colourOption, nameHelp, runNamed, sayWhich, talk, type LifeFlags } from "./life.ts";

export function resumeCommand(): Command {
  return new Command("resume")
    .summary("start the next attempt at a run, from its newest checkpoint")
    .argument("<name>", nameHelp)
    .option("--json", "one JSON document on stdout, at the end")
    .addOption(colourOption())
    .action(async (name: string, flags: LifeFlags) => {
      const run = runNamed(name, flags);
      if (run === null) return;
      sayWhich(run, flags);
      process.exitCode = await resume({ ...run, screen: talk(flags), json: flags.json === true });
    });
}
