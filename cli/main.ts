/** Finds the command, loads only what that command needs, and turns every way out into its exit code. */
import { type Argument, Command, CommanderError } from "commander";
import { inTable } from "../dsl/in-table.ts";
import { withGuide } from "./guide.ts";
import { version } from "./version.ts";

/** Commands by name; the module of each is loaded when it is asked for. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** `cdrc` with these commands. */
export function programOf(commands: readonly Command[]): Command {
  const program = new Command("cdrc")
    .description("Compiler for language-model training runs: checks, plans, compiles and runs .cdr files.")
    .addHelpCommand(withGuide(new Command("help").argument("[command]").summary("show the options of a command")))
    .helpOption("-h, --help", "show this help")
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(wordsOf)].join(" "),
    })
    .version(version, "-V, --version")
    .exitOverride()
    .showHelpAfterError("(cdrc --help lists the commands)")
    .showSuggestionAfterError();
  for (const command of commands) {
    const summary = command.summary();
    if (command.description() === "") command.description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}`);
    program.addCommand(
      withGuide(command)
        .helpOption("-h, --help", "show this help")
        .exitOverride()
        .showSuggestionAfterError()
        .hook("preAction", refuseSwallowed),
    );
  }
  return program;
}

function wordsOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** `--from -o x` would take `-o` for a run, and `--html -x` write a file of that name. */
function refuseSwallowed(_: Command, command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== "cli") continue;
    const value: unknown = command.getOptionValue(name);
    const words: readonly unknown[] = Array.isArray(value) ? value : [value];
    const taken = words.find((word) => typeof word === "string" && word.startsWith("-") && word !== "-");
    if (typeof taken !== "string") continue;
    command.error(`error: option '${option.flags}' argument missing: '${taken}' stands in its place`, {
      exitCode: 2,
    });
  }
}

async function dispatch(commands: Commands, words: readonly string[]): Promise<void> {
  const asked = words.find((word) => !word.startsWith("-")) ?? "";
  const load = inTable(commands, asked);
  const loaded =
    load === undefined ? await Promise.all(Object.values(commands).map((each) => each())) : [await load()];
  await programOf(loaded).parseAsync(words, { from: "user" });
}

export async function main(commands: Commands): Promise<void> {
  // A reader that closed its end, such as `head`, and a terminal that was closed are no mistakes: without a reader of data
  // there is nothing more to do, without one of talk there is.
  const isGone = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EIO";
  process.stdout.on("error", (error) => process.exit(isGone(error) ? process.exitCode : 70));
  process.stderr.on("error", (error) => isGone(error) || process.exit(70));
  await guarded(() => dispatch(commands, process.argv.slice(2)));
}

/** Does a command's work; what goes wrong in it is an exit code and a message, never a stack trace. */
export async function guarded(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      const message = error instanceof Error ? error.message : String(error);
      process.stderr.write(
        `cdrc: a bug in cdrc: ${message}\n  Please report it with the file and this command line. CDR_DEBUG=1 shows where.\n`,
      );
      if (process.env["CDR_DEBUG"] === "1" && error instanceof Error) process.stderr.write(`${error.stack ?? ""}\n`);
      process.exitCode = 70;
    }
  }
}
