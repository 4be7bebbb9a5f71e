/** Finds the command, loads only what that command needs, and turns every way out into its exit code. */
import { Command, CommanderError } from "commander";
import { version } from "./version.ts";

/** Commands by name; the module of each is loaded when it is asked for. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

async function dispatch(commands: Commands, words: readonly string[]): Promise<void> {
  const program = new Command("cdrc")
    .description("The compiler for language-model training runs")
    .version(version, "-V, --version")
    .exitOverride()
    .showHelpAfterError("(cdrc --help lists the commands)")
    .showSuggestionAfterError();
  const asked = words.find((word) => !word.startsWith("-")) ?? "";
  const load = commands[asked];
  const loaded =
    load === undefined ? await Promise.all(Object.values(commands).map((each) => each())) : [await load()];
  for (const command of loaded) program.addCommand(command.exitOverride().showSuggestionAfterError());
  await program.parseAsync(words, { from: "user" });
}

export async function main(commands: Commands): Promise<void> {
  // A reader that closed its end, such as `head`, is no mistake.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 70));
  try {
    await dispatch(commands, process.argv.slice(2));
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      const message = error instanceof Error ? error.message : String(error);
      process.stderr.write(
        `cdrc: a defect of ours: ${message}\n  Please report it with the file and this command line. CDR_DEBUG=1 shows where.\n`,
      );
      if (process.env["CDR_DEBUG"] === "1" && error instanceof Error) process.stderr.write(`${error.stack ?? ""}\n`);
      process.exitCode = 70;
    }
  }
}
