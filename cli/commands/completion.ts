/** `cdrc completion bash|zsh|fish`. */
import { Argument, Command, InvalidArgumentError } from "commander";
import { allDefinitions } from "../../compiler/diagnostics/index.ts";
import { namesFrom } from "../../runtime/state/find.ts";
import { complete } from "../completion/candidates.ts";
import { namesOf } from "../completion/names.ts";
import { misuse } from "../misuse.ts";
import { scripts, type Shell, shells } from "../completion/scripts.ts";

/** `all` loads the commands whose words are completed. */
export function completionCommand(all: () => Promise<readonly Command[]>): Command {
  return new Command("completion")
    .summary("print a shell completion script")
    .addArgument(shellArgument())
    .argument("[words...]", "internal: the words before the cursor")
    .action(async (shell: Shell | "candidates", words: readonly string[]) => {
      if (shell !== "candidates" && words.length > 0)
        return misuse(`one shell at a time: \`cdrc completion ${shell}\`, and again for ${words.join(", ")}`, false);
      if (shell !== "candidates") process.stdout.write(scripts[shell]);
      else process.stdout.write(candidates(await all(), words));
    });
}

/** The shells; `candidates` is for what they load, and nobody types it. */
function shellArgument(): Argument {
  const argument = new Argument("<shell>", "shell whose script to print").argParser((word: string) => {
    if (word === "candidates" || shells.some((shell) => shell === word)) return word;
    throw new InvalidArgumentError(`Allowed choices are ${shells.join(", ")}.`);
  });
  argument.argChoices = [...shells];
  return argument;
}

/** `words`, `files` or `folders`, then a word and its hint on each line. */
function candidates(commands: readonly Command[], words: readonly string[]): string {
  // A shell tells what stands behind the cursor apart: a file that comes last.
  const behind = (process.env["CDRC_WORDS_BEHIND"] ?? "").split(/\s+/);
  const found = complete(commands, words.slice(0, -1), words.at(-1) ?? "", behind, {
    names: namesOf,
    runs: () => namesFrom().map(({ word, run: { step, project } }) => ({ word, hint: `${step}, ${project}` })),
    codes: () => allDefinitions.map(({ code, severity }) => ({ word: code, hint: severity })),
  });
  const lines = found.kind === "words" ? found.words.map(({ word, hint }) => `${word}\t${hint}`) : [];
  return [found.kind, ...lines, ""].join("\n");
}
