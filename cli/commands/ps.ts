/** `cdrc ps`: the runs this user started, newest first. */
import { Command } from "commander";
import { factsOf, shown } from "../../runtime/run/document.ts";
import { paintFor } from "../../runtime/run/screen.ts";
import { typed } from "../../runtime/run/typed.ts";
import { knownRuns } from "../../runtime/state/find.ts";
import { seen, waiting, type RunView } from "../../runtime/view/model.ts";
import { renderRuns } from "../../runtime/view/table.ts";
import { snapshotsOf } from "../../runtime/watch/snapshot.ts";
import { colourOption, printJson, type LifeFlags } from "./life.ts";

interface Flags extends LifeFlags {
  readonly all?: true;
}

const usual = 20;

export function psCommand(): Command {
  return new Command("ps")
    .summary("list runs, newest first")
    .option("--all", `list all runs, not just the newest ${usual}`)
    .option("--json", "print one JSON document to stdout")
    .addOption(colourOption())
    .action(async (flags: Flags) => {
      const runs = knownRuns();
      const listed = flags.all === true ? runs : runs.slice(0, usual);
      const snapshots = await snapshotsOf(listed.map((run) => run.directory));
      const views = snapshots.map((snapshot): readonly [RunView, string] => {
        const { step, id } = snapshot.record;
        return [seen(waiting(step, id, shown(snapshot.directory)), snapshot), snapshot.directory];
      });
      if (flags.json === true) return printJson({ runs: views.map(([view, path]) => factsOf(view, path, null)) });
      const canvas = { columns: process.stdout.columns || Number.POSITIVE_INFINITY, now: Date.now() / 1000 };
      if (views.length === 0) return void process.stdout.write(`no runs yet; ${typed("run FILE")} starts one\n`);
      const lines = renderRuns(
        views.map(([view]) => view),
        canvas,
        paintFor(process.stdout, flags.color),
      );
      process.stdout.write(`${lines.join("\n")}\n`);
      if (listed.length < runs.length)
        process.stderr.write(`and ${runs.length - listed.length} older; ${typed("ps --all")}\n`);
    });
}
