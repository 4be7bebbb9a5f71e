/** `cdrc cancel NAME`: ends a run from anywhere that can read its directory and reach its target. */
import { Command } from "commander";
import { factsOf, shown } from "../../runtime/run/document.ts";
import type { Wish } from "../../runtime/run/interrupts.ts";
import { isRefusal, refusal } from "../../runtime/run/refusal.ts";
import { typed } from "../../runtime/run/typed.ts";
import { statusOf } from "../../runtime/run/status.ts";
import { watchRun } from "../../runtime/run/watch-run.ts";
import { seen, waiting } from "../../runtime/view/model.ts";
import type { Snapshot } from "../../runtime/watch/snapshot.ts";
import { colourOption, fail, nameHelp, printJson, runNamed, sayWhich, talk, type LifeFlags } from "./life.ts";

interface Flags extends LifeFlags {
  readonly now?: true;
}

export function cancelCommand(): Command {
  return new Command("cancel")
    .summary("save a checkpoint and stop a run")
    .argument("<name>", nameHelp)
    .option("--now", "stop at once, without saving")
    .option("--json", "print one JSON document to stdout")
    .addOption(colourOption())
    .action(async (name: string, flags: Flags) => {
      const run = runNamed(name, flags);
      if (run === null) return;
      sayWhich(run, flags);
      if (run.copyOf !== null) {
        const message = `this directory is a copy of ${run.copyOf}, which is another run`;
        return void fail(refusal(message, `${typed("cancel")} ${run.copyOf} cancels that one`), 2, flags);
      }
      const status = await statusOf(run.directory);
      if (isRefusal(status)) return void fail(status, 3, flags);
      const screen = talk({ ...flags, color: "never" });
      const tell = (snapshot: Snapshot | null, words: string): void => {
        screen.say([`${run.record.step.name} (${run.record.id}): ${words}`]);
        const view = waiting(run.record.step, run.record.id, shown(run.directory));
        const facts = factsOf(snapshot === null ? view : seen(view, snapshot), run.directory, null);
        if (flags.json === true) printJson({ runs: [facts] });
      };
      if (status.kind !== "live") {
        tell(
          status.snapshot,
          `is not running (${status.snapshot?.verdict.state ?? "never started"}); nothing to cancel`,
        );
        return;
      }
      const wish: Wish = flags.now === true ? "kill" : "save";
      screen.say([wish === "save" ? "saving, then stopping… (--now: stop at once)" : "stopping…"]);
      const end = await watchRun({ directory: run.directory, wish: () => wish }, () => {});
      tell(end, `${end?.verdict.state ?? "unknown"}, ${end?.verdict.reason ?? "its record is gone"}`);
    });
}
