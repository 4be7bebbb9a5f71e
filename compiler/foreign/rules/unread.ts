/** Commands that start training in a way that is not read: said, so that silence means that nothing was found. */
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

/** `read`: commands around others, and the words of those that are launches. */
function unread(command: ShellCommand, read: ReadonlySet<unknown>): readonly Found[] {
  const [first, ...others] = command.words;
  const name = nameOf(first);
  if (first === undefined || name === "" || harmless.test(name)) return [];
  if (read.has(command) || read.has(command.words)) return [];
  const found = others.some((word, at) => starts(command.words, at + 1) || inText.test(word.text ?? ""));
  return found ? [{ span: first.span, message: `the command after ${name} is not checked` }] : [];
}

export const unreadRules: readonly ForeignRule[] = [
  rule({
    name: "command-unread",
    severity: "info",
    source: "compiler/foreign/commands/wrappers.ts and shells.ts list the programs after which a command is read",
    why: "An unknown program that may start others is called here, with a launcher among its arguments. This command is not checked.",
    fix: "Nothing needs to be done; to check the command, put it in a script without the program before it.",
    ofAll: true,
    check: ({ scripts, runs }) => {
      const commands = scripts.flatMap((script) => script.commands);
      const read = new Set<unknown>([...commands.map(({ outer }) => outer), ...runs.map((run) => run.command.words)]);
      return commands.flatMap((each) => unread(each, read));
    },
    fires: { "run.sh": "charmrun torchrun --nproc-per-node=8 train.py --lr 1e-4\n" },
    silent: { "run.sh": "uv run torchrun --nproc-per-node=8 train.py --lr 1e-4\n" },
  }),
];
