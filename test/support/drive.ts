/** `cdrc` as far as it concerns runs, on the tiny pipeline: tests start it as a process and interrupt it. */
import { Command } from "commander";
import { attachCommand } from "../../cli/commands/attach.ts";
import { cancelCommand } from "../../cli/commands/cancel.ts";
import { logsCommand } from "../../cli/commands/logs.ts";
import { psCommand } from "../../cli/commands/ps.ts";
import { reportCommand } from "../../cli/commands/report.ts";
import { resumeCommand } from "../../cli/commands/resume.ts";
import { runPipeline } from "../../runtime/run/run.ts";
import { tiny, type TinyOptions } from "./tiny.ts";

// What the test that starts this wrote.
const options = JSON.parse(process.env["TINY"] ?? "{}") as TinyOptions;

const run = new Command("run")
  .argument("<file>")
  .argument("[step...]")
  .option("--json")
  .option("--fresh")
  .option("--detach")
  .option("--dry-run")
  .action(async (_: string, names: string[], flags: Readonly<Record<string, true | undefined>>) => {
    process.exitCode = await runPipeline(tiny(process.cwd(), options), {
      names,
      fresh: flags["fresh"] === true,
      detach: flags["detach"] === true,
      dryRun: flags["dryRun"] === true,
      json: flags["json"] === true,
      colour: "auto",
    });
  });

const program = new Command("cdrc").addCommand(run);
for (const make of [attachCommand, cancelCommand, logsCommand, psCommand, reportCommand, resumeCommand]) {
  program.addCommand(make());
}
await program.parseAsync();
