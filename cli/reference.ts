/** `docs/commands.md`: every command with its words, from the very definitions that read them. */
import type { Command } from "commander";

export function commandsPage(commands: readonly Command[]): string {
  return `${[
    "# Commands",
    "Generated from the commands' own definitions by `npm run docs`. Every command that takes `--json` puts one JSON document on stdout and nothing else there; what is for people goes to stderr.",
    table(
      ["exit", ""],
      [
        ["0", "done"],
        ["1", "the file has an error"],
        ["2", "the command line was misused"],
        ["3", "the run failed"],
        ["70", "a defect of ours"],
        ["130", "stopped, and saved"],
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
