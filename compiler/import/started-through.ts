/** What a program is started through, and where: containers, limits and tools around it, and the folder that the script goes to. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { importLeftOut } from "../diagnostics/import.ts";
import { unwrapped } from "../foreign/commands/unwrap.ts";
import type { Run } from "../foreign/launch.ts";
import type { ShellCommand } from "../foreign/shell/state.ts";

/** Programs that change nothing of what they start, or start it in an environment of packages, which the launch has of its own. */
const idle =
  /^(?:nohup|time|exec|command|env|stdbuf|setsid|unbuffer|catchsegv|script|uv|poetry|pipenv|pdm|rye|pixi|conda|mamba|micromamba|hatch|dotenv|direnv|xargs)$/;

const containers = /^(?:singularity|apptainer|enroot|shifter|sarus|ch-run|kubectl|oc|microk8s|lxc|chroot)$/;

export function startedThrough({ command, docker }: Run): readonly Diagnostic[] {
  const found = chainOf(command).flatMap(({ words }) =>
    unwrapped(words, () => undefined).starters.map((word) => {
      const verb = words[words.indexOf(word) + 1]?.text ?? "…";
      return { word, name: word.text?.split("/").at(-1) ?? "", verb };
    }),
  );
  const isContained = docker !== null || found.some(({ name }) => containers.test(name));
  return [
    ...found.flatMap(({ word, name, verb }) =>
      idle.test(name)
        ? []
        : [
            importLeftOut(word.span, {
              what: `\`${name} ${verb} …\` around the program`,
              why: containers.test(name)
                ? "the launch runs in the project's environment; `image` makes one"
                : "the launch starts the program itself",
            }),
          ],
    ),
    ...(isContained ? [] : folderOf(command)),
  ];
}

function chainOf(command: ShellCommand): readonly ShellCommand[] {
  return command.outer === null ? [command] : [...chainOf(command.outer), command];
}

/** Relative paths of the written file are those of the folder that it lies in. */
function folderOf({ folder, words, span }: ShellCommand): readonly Diagnostic[] {
  if (folder.path === "" || folder.path === ".") return [];
  const what = folder.path.startsWith("$") ? "the folder that the script goes to" : `the folder ${folder.path}`;
  return [importLeftOut(words[0]?.span ?? span, { what, why: "relative paths start from the folder of the `.cdr`" })];
}
