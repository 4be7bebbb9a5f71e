/** Launchers and options whose names are run together or misspelt. */
import { distance } from "fastest-levenshtein";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import type { Launch } from "../../launch.ts";
import { accelerate, deepspeed, torchrun } from "../../commands/launchers.ts";
import { bare } from "../../settings.ts";
import type { ShellWord } from "../../shell/state.ts";
import { trainerArguments } from "../../trainer/arguments.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

/** What `python -m` starts ranks with. */
const modules = [
  "torch.distributed.run",
  "torch.distributed.launch",
  "accelerate.commands.launch",
  "deepspeed.launcher.runner",
];
const programs = ["torchrun", "accelerate", "deepspeed"];

const near = (written: string, names: readonly string[], most: number): string | null =>
  names.find((name) => name !== written && distance(name, written) <= most) ?? null;

function misspelt(words: readonly ShellWord[]): readonly Found[] {
  const at = words.findIndex(({ text }) => text?.startsWith("python") === true && /^python[\d.]*$/.test(text));
  const module = at < 0 ? undefined : words.find((_, index) => index > at && words[index - 1]?.text === "-m");
  const [first] = words;
  const isModule = module?.text?.includes(".") === true;
  const meant = isModule
    ? near(module.text ?? "", modules, 2)
    : /^[a-z]+$/.test(first?.text ?? "") && first !== undefined && words.length > 1
      ? near(first.text ?? "", programs, 1)
      : null;
  const word = isModule ? module : first;
  if (meant === null || word === undefined) return [];
  return [
    {
      span: word.span,
      message: `${word.text} is ${isModule ? "no module" : "no command"}: ${meant} starts the ranks`,
      valid: [meant],
      fixes: [replacement(word.span, meant)],
    },
  ];
}

const ofLaunchers = new Set([...torchrun.valued, ...accelerate.valued, ...deepspeed.valued]);
const known = new Set([...ofLaunchers, ...trainerArguments]);

/** `--rdzv_id=ID1--rdzv_backend=c10d`: what stands behind the value is the name of an option. */
function glued({ text, span }: ShellWord): readonly Found[] {
  if (text === null || text.lastIndexOf("--") <= 0) return [];
  const [, before = "", name = "", rest = ""] = /^(.*[A-Za-z0-9"'/])(--[A-Za-z][\w-]+)(=.*)?$/.exec(text) ?? [];
  const place = span.source.text.indexOf(`${name}${rest}`, span.start);
  // A folder may well be called `llama--bf16`.
  if (before === "" || !(rest === "" ? ofLaunchers : known).has(bare(name))) return [];
  if (rest === "" && before.startsWith("--") && !before.includes("=")) return [];
  const at = { ...span, start: place, end: place };
  return [
    {
      span,
      message: `${name} is part of the previous value: a space is missing`,
      ...(place < span.start || place > span.end
        ? {}
        : { fixes: [{ title: "add the space", edits: [{ span: at, newText: " " }] }] }),
    },
  ];
}

const ofCommands = (launch: Launch, check: (words: readonly ShellWord[]) => readonly Found[]): readonly Found[] =>
  launch.scripts.flatMap(({ commands }) => commands.flatMap(({ words }) => check(words)));

export const launcherNameRules: readonly ForeignRule[] = [
  rule({
    name: "launcher-name",
    source: "torch/distributed/run.py, launch.py; accelerate/commands/launch.py; deepspeed/launcher/runner.py",
    why: "Nothing of that name is installed: bash reports `command not found`, and Python `No module named`.",
    fix: "Write a name from `valid`.",
    check: (launch) => ofCommands(launch, misspelt),
    fires: { "run.sh": "python -m torch.distribute.launch --nproc_per_node=2 train.py\n" },
    silent: { "run.sh": "python -m torch.distributed.run --nproc_per_node=2 train.py\n" },
  }),
  rule({
    name: "shell-glued-option",
    source: "bash(1): blanks separate words; argparse takes the rest of a word for the value",
    why: "Without a space between them, the second option becomes part of the first one's value: the launcher does not see it, and uses its default.",
    fix: "Put a space before the second option.",
    check: (launch) => launch.runs.flatMap(({ command }) => command.words.flatMap(glued)),
    fires: {
      "run.sh":
        "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-endpoint=$HOST:29500 --rdzv-id=a--rdzv-backend=c10d train.py\n",
    },
    silent: {
      "run.sh":
        "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-endpoint=$HOST:29500 --rdzv-id=a --rdzv-backend=c10d train.py\n",
    },
  }),
];
