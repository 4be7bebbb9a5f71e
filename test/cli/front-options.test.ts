/** Of an option that is given at most once, the last never wins without a word. */
import { Command } from "commander";
import { expect, it } from "vitest";
import { type FrontFlags, frontOptions } from "../../cli/front.ts";

function read(...words: string[]): FrontFlags {
  const command = frontOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return command.parse(words, { from: "user" }).opts();
}

it.each([
  ["--preset", "p1", "p3"],
  ["--on", "here", "there"],
  ["--target", "local", "slurm"],
])("%s with two values is misuse that names both", (flag, first, second) => {
  expect(() => read(flag, first, flag, second)).toThrow(
    `It is given twice: \`${flag} ${first}\` and \`${flag} ${second}\`. Write one of them.`,
  );
  expect(read(flag, first, flag, first)).toEqual({ [flag.slice(2)]: first });
});

it("a target is one of those there are", () => {
  expect(() => read("--target", "moon")).toThrow("Allowed choices are local, slurm.");
});
