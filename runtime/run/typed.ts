/** A command of ours as this user can type it: the advice of a message is to be copied. */
import { accessSync, constants } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { quoteWords } from "../../compiler/targets/quote.ts";

export function typed(words: string, env: NodeJS.ProcessEnv = process.env): string {
  return `${program(env)} ${words}`;
}

function program(env: NodeJS.ProcessEnv): string {
  // npm and npx put the project's programs on PATH for what they start alone.
  if ((env["npm_command"] ?? "") !== "") return "npx cdrc";
  if ((env["PATH"] ?? "").split(delimiter).some((folder) => isProgram(join(folder, "cdrc")))) return "cdrc";
  return quoteWords(["node", relative(process.cwd(), process.argv[1] ?? "bin/cdrc.mjs")]);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
