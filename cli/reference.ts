/** `docs/commands.md`: every command with its words, from the very definitions that read them. */
import type { Command } from "commander";
import { examplesOf } from "./guide.ts";

export function commandsPage(commands: readonly Command[]): string {
  return `${[
    "# Commands",
    "Every command of `cdrc` with its arguments and options. `cdrc COMMAND --help` prints the same. With `--json` a command prints one JSON document to stdout and nothing else; messages for people go to stderr.",
    "<!-- Generated from the commands' definitions by `npm run docs`. -->",
    table(
      ["exit code", "meaning"],
      [
        ["0", "success"],
        ["1", "the file has an error"],
        ["2", "wrong usage: an unknown option, or a file that cannot be read"],
        ["3", "the run failed"],
        ["70", "a bug in cdrc"],
        ["130", "stopped on request, with a checkpoint saved"],
      ],
    ),
    ...commands.flatMap(section),
  ].join("\n\n")}\n`;
}

function section(command: Command): string[] {
  const given = command.registeredArguments;
  const options = command.options.filter((option) => !option.hidden);
  const args = given.map((argument) => {
    const words = `${argument.name()}${argument.variadic ? "…" : ""}`;
    return argument.required ? words.toUpperCase() : `[${words.toUpperCase()}]`;
  });
  const examples = examplesOf(command);
  const rows = [
    ...given.map((argument) => [
      `\`${argument.name().toUpperCase()}\``,
      [argument.description, choices(argument.argChoices)].filter((part) => part !== "").join("; "),
    ]),
    ...options.map((option) => [
      `\`${option.flags.replaceAll("|", "\\|")}\``,
      [option.description, choices(option.argChoices)].filter((part) => part !== "").join("; "),
    ]),
  ];
  return [
    `## cdrc ${[command.name(), ...args].join(" ")}`,
    sentence(command.summary()),
    ...(examples.length === 0 ? [] : [examples.map((line) => `    ${line}`).join("\n")]),
    ...(rows.length === 0 ? [] : [table(["", ""], rows)]),
  ];
}

const choices = (words: readonly string[] | undefined): string =>
  words === undefined ? "" : `one of ${words.map((word) => `\`${word}\``).join(", ")}`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [row(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(row)].join("\n");
}
