/** What `--help` and `docs/commands.md` show of each command beside its options: its group and examples. */
import type { Command } from "commander";
import { inTable } from "../dsl/in-table.ts";

interface Guide {
  readonly group: string;
  readonly examples: readonly string[];
}

const write = "Write and check:";
const start = "Run:";
const around = "Tools:";

const guides: Readonly<Record<string, Guide>> = {
  init: { group: write, examples: ["cdrc init demo", "cdrc init demo --template finetune --yes"] },
  check: {
    group: write,
    examples: [
      "cdrc check run.cdr",
      "cdrc check train.sbatch ds_config.json --gpu h100",
      "cdrc check . --format github",
    ],
  },
  plan: {
    group: write,
    examples: ["cdrc plan run.cdr", "cdrc plan run.cdr --set stage.batch='1024 samples' --html plan.html"],
  },
  explain: {
    group: write,
    examples: ["cdrc explain cdr/unit-missing", "cdrc explain pretrain.batch.accumulation run.cdr"],
  },
  fmt: { group: write, examples: ["cdrc fmt", "cdrc fmt --check"] },
  diff: { group: write, examples: ["cdrc diff before.cdr after.cdr", "cdrc diff run.cdr 96a0dffa"] },
  test: { group: write, examples: ["cdrc test run.cdr", 'cdrc test run.cdr "on one node"'] },
  lock: { group: write, examples: ["cdrc lock run.cdr", "cdrc lock --check run.cdr"] },
  import: {
    group: write,
    examples: ["cdrc import train.sbatch -o run.cdr", "cdrc import sft.yaml accelerate.yaml --world 16"],
  },
  compile: { group: start, examples: ["cdrc compile run.cdr -o bundle"] },
  run: {
    group: start,
    examples: [
      "cdrc run run.cdr",
      "cdrc run run.cdr pretrain --set stage.seed=7",
      "cdrc run run.cdr --target slurm --dry-run",
    ],
  },
  sweep: { group: start, examples: ["cdrc sweep run.cdr --list", "cdrc sweep run.cdr"] },
  ps: { group: start, examples: ["cdrc ps", "cdrc ps --all --json"] },
  logs: { group: start, examples: ["cdrc logs pretrain -f", "cdrc logs 96a0dffa --rank 3 --tail 50"] },
  attach: { group: start, examples: ["cdrc attach pretrain"] },
  cancel: { group: start, examples: ["cdrc cancel pretrain", "cdrc cancel pretrain --now"] },
  resume: { group: start, examples: ["cdrc resume pretrain"] },
  report: { group: start, examples: ["cdrc report pretrain -o pretrain.html"] },
  doctor: { group: around, examples: ["cdrc doctor", "cdrc doctor run.cdr"] },
  calibrate: {
    group: around,
    examples: ["cdrc calibrate -o here.cdr", "cdrc calibrate run.cdr --on hpc", "cdrc calibrate --from pretrain"],
  },
  schema: { group: around, examples: ["cdrc schema run.cdr"] },
  completion: { group: around, examples: ["cdrc completion bash > ~/.local/share/bash-completion/completions/cdrc"] },
  lsp: { group: around, examples: [] },
  help: { group: around, examples: [] },
};

export const examplesOf = (command: Command): readonly string[] => inTable(guides, command.name())?.examples ?? [];

export function withGuide(command: Command): Command {
  const examples = examplesOf(command);
  const group = inTable(guides, command.name())?.group;
  if (group !== undefined) command.helpGroup(group);
  return examples.length === 0 ? command : command.addHelpText("after", `\nExamples:\n  ${examples.join("\n  ")}`);
}
