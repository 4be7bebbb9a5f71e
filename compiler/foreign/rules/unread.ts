/** Commands that start training in a way that is not read: said, so that silence means that nothing was found. */
import type { Launch, ScriptFile } from "../launch.ts";
import { runsOf } from "../commands/runs.ts";
import type { ShellCommand, ShellWord } from "../shell/state.ts";
import { rule, type ForeignRule, type Found } from "./rule.ts";

/** Programs that name a launcher without starting it. */
const harmless =
  /^(?:apt|apt-get|awk|basename|black|cat|chmod|cp|dirname|git|grep|egrep|rg|head|kill|killall|ln|ls|man|mv|pgrep|pip|pip3|pkill|ps|pytest|rm|rsync|ruff|scp|sed|tail|tar|tee|test|touch|type|uv|vim|wc|wget|which|\[)$/;

const nameOf = (word: ShellWord | undefined): string => word?.text?.split("/").at(-1) ?? "";

/** Does a launcher, or Python with a program, stand here? */
function starts(words: readonly ShellWord[], at: number): boolean {
  const next = words[at + 1]?.text ?? "";
  const name = nameOf(words[at]);
  if (/^(?:torchrun|deepspeed)$/.test(name)) return /^-|\.py$/.test(next);
  if (name === "accelerate") return next === "launch";
  if (/^python[\d.]*$/.test(name)) return words.slice(at + 1).some(({ text }) => /^-m$|\.py$/.test(text ?? ""));
  return /^(?:pre)?train\w*\.py$|^pretrain_\w+\.py$/.test(name) && words.length > at + 2;
}

/** A command that another machine's shell reads: `ssh HOST "torchrun …"`. */
const inText =
  /(?:^|[\s;&|/="'([])(?:torchrun\s+\S|deepspeed\s+\S|accelerate\s+launch\s|python[\d.]*\s[^;&|]*?\S\.py(?:\s|$))/;

function unread(launch: Launch, script: ScriptFile, command: ShellCommand): readonly Found[] {
  const [first, ...others] = command.words;
  const name = nameOf(first);
  if (first === undefined || name === "" || harmless.test(name)) return [];
  if (launch.scripts.some(({ commands }) => commands.some(({ outer }) => outer === command))) return [];
  if (launch.runs.some((run) => run.command.words === command.words)) return [];
  const found = others.some((word, at) => starts(command.words, at + 1) || inText.test(word.text ?? ""));
  if (!found) return [];
  // Of several launches this one has its own run alone, and the commands of all.
  const isRead = runsOf(script, launch.beside.text).some((run) => run.command.words === command.words);
  return !isRead ? [{ span: first.span, message: `the command after ${name} is not read` }] : [];
}

export const unreadRules: readonly ForeignRule[] = [
  rule({
    name: "command-unread",
    severity: "info",
    source: "compiler/foreign/commands/wrappers.ts and shells.ts list the programs behind which a command is read",
    why: "Something that starts programs is called here whose form is not known, and a launcher stands among its words. Nothing of that command is judged.",
    fix: "Nothing is to be done; to have it judged, check the command alone in a script.",
    check: (launch) =>
      launch.scripts.flatMap((script) => script.commands.flatMap((each) => unread(launch, script, each))),
    fires: { "run.sh": "charmrun torchrun --nproc-per-node=8 train.py --lr 1e-4\n" },
    silent: { "run.sh": "uv run torchrun --nproc-per-node=8 train.py --lr 1e-4\n" },
  }),
];
