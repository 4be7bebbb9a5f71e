/** `cdrc attach NAME`. */
import { Command } from "commander";
import { attachTo } from "../../runtime/run/known.ts";
import { colourOption, nameHelp, runNamed, sayWhich, talk, type LifeFlags } from "./life.ts";

export function attachCommand(): Command {
  return new Command("attach")
    .summary("watch a run that was started before")
    .argument("<name>", nameHelp)
    .option("--json", "one JSON document on stdout, at the end")
    .addOption(colourOption())
    .action(async (name: string, flags: LifeFlags) => {
      const run = runNamed(name, flags);
      if (run === null) return;
      sayWhich(run, flags);
      process.exitCode = await attachTo({ ...run, screen: talk(flags), json: flags.json === true });
    });
}
