/** `cdrc run FILE [STEP…]`. */
import { Command, Option } from "commander";
import { type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { declaresSweep } from "../sweep/declares.ts";
import type { CompileForRun } from "../../runtime/run/compiled.ts";
import { runPipeline } from "../../runtime/run/run.ts";
import type { Colour } from "../../runtime/run/screen.ts";

interface Flags extends FrontFlags {
  readonly fresh?: true;
  readonly detach?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly color: Colour;
}

export function runCommand(compile: CompileForRun): Command {
  return frontOptions(new Command("run"))
    .summary("start or resume the steps of a file, and watch them")
    .argument("<file>", ".cdr file")
    .argument("[step...]", "steps to run, with the steps that they depend on (default: the final step)")
    .option("--fresh", "start a new run even if an identical one is done")
    .option("--detach", "start and return at once; `cdrc attach` watches the run")
    .option("--dry-run", "print the exact requests without starting anything")
    .option("--json", "print one JSON document to stdout")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    )
    .action(async (file: string, names: string[], flags: Flags) => {
      const sweep = names.find((name) => declaresSweep(file, name));
      if (sweep !== undefined) {
        const { sweepFile } = await import("./sweep.ts");
        if (names.length > 1) misuse(`${sweep} is a sweep: name it alone`, flags.json === true);
        else if (flags.detach === true)
          misuse(`a sweep is not detached: each point waits for the last`, flags.json === true);
        else await sweepFile(file, sweep, flags, compile);
        return;
      }
      const compiled = await compile(file, {
        on: flags.on,
        target: flags.target,
        preset: flags.preset,
        with: flags.with ?? [],
        set: flags.set ?? [],
        names,
        json: flags.json === true,
      });
      if (compiled === null) return;
      process.exitCode = await runPipeline(compiled, {
        names,
        fresh: flags.fresh === true,
        detach: flags.detach === true,
        dryRun: flags.dryRun === true,
        json: flags.json === true,
        colour: flags.color,
      });
    });
}
