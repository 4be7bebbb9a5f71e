/** Each command stands in a group of `cdrc --help`, and its examples are command lines that it takes. */
import { expect, it } from "vitest";
import { commands } from "../../cli/commands.ts";
import { examplesOf } from "../../cli/guide.ts";
import { programOf } from "../../cli/main.ts";

const all = await Promise.all(Object.values(commands).map((load) => load()));
const help = programOf(all).helpInformation();

it("puts every command into a group", () => {
  expect(help).not.toMatch(/^Commands:/m);
  for (const command of all) expect(help).toMatch(new RegExp(`^  ${command.name()} `, "m"));
});

it.each(all.flatMap((command) => examplesOf(command).map((line) => [line, command] as const)))(
  "%s",
  (line, command) => {
    const words = line.replace(/ > .*/, "").match(/"[^"]*"|[^\s']*'[^']*'|\S+/g) ?? [];
    expect(words.slice(0, 2)).toEqual(["cdrc", command.name()]);
    const { operands, unknown } = command.parseOptions(words.slice(2));
    expect(unknown).toEqual([]);
    expect(operands.length).toBeGreaterThanOrEqual(
      command.registeredArguments.filter(({ required }) => required).length,
    );
  },
);
