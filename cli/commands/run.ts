/** `cdrc run FILE [STEP…]`. */
import { Command, Option } from "commander";
import type { CompileForRun } from "../../runtime/run/compiled.ts";
import { runPipeline } from "../../runtime/run/run.ts";
import type { Colour } from "../../runtime/run/screen.ts";

interface Flags {
  readonly on?: string;
  readonly target?: string;
  readonly preset?: string;
  readonly with: readonly string[];
  readonly set: readonly string[];
  readonly fresh?: true;
  readonly detach?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly color: Colour;
}

const gather = (value: string, before: readonly string[]): string[] => [...before, value];

export function runCommand(compile: CompileForRun): Command {
  return new Command("run")
    .summary("run the steps of a file: find, resume or start each, and watch it")
    .argument("<file>", "a .cdr file")
    .argument("[step...]", "only these steps and what they read from")
    .option("--on <launch>", "the launch block to use")
    .addOption(new Option("--target <name>", "where, when the file has no launch block").choices(["local", "slurm"]))
    .option("--preset <name>", "apply a preset of the file")
    .option("--with <file>", "lay another file over it (repeatable)", gather, [])
    .option("--set <path=value>", "set one value (repeatable)", gather, [])
    .option("--fresh", "run anew, even if the same question was answered before")
    .option("--detach", "start and return; cdrc attach shows it")
    .option("--dry-run", "print the exact requests and do nothing")
    .option("--json", "one JSON document on stdout")
    .addOption(new Option("--color <when>", "colours").choices(["auto", "always", "never"]).default("auto"))
    .action(async (file: string, names: string[], flags: Flags) => {
      const compiled = await compile(file, {
        on: flags.on,
        target: flags.target,
        preset: flags.preset,
        with: flags.with,
        set: flags.set,
      });
      if (compiled === null) {
        process.exitCode = 1;
        return;
      }
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
