/** Comments that were meant as directives. */
import { distance } from "fastest-levenshtein";
import type { ScriptFile } from "../../launch.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const job = (word: string): string =>
  `#!/bin/bash\n#SBATCH --nodes=1\n#${word} --gpus-per-node=8\nsrun python train.py\n`;

/** A word that is nearly `SBATCH`, with an option behind it. */
function misspelt({ source, directives }: ScriptFile): readonly Found[] {
  if (directives.size === 0) return [];
  return [...source.text.matchAll(/^#([A-Z]{4,8})(?=[ \t]+-)/gm)].flatMap(({ 0: whole, 1: word = "", index }) => {
    const apart = distance(word, "SBATCH");
    return apart === 0 || apart > 2
      ? []
      : [
          {
            span: { source, start: index, end: index + whole.length },
            message: `#${word} is an ordinary comment, which sbatch ignores`,
            valid: ["#SBATCH"],
          },
        ];
  });
}

export const slurmDirectiveRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-directive-name",
    severity: "warning",
    source: "slurm src/sbatch/opt.c: get_argument (lines that begin with `#SBATCH`)",
    why: "sbatch looks for lines that begin with exactly `#SBATCH`. Any other word makes the line a comment, and the directive has no effect.",
    fix: "Write #SBATCH, or a second # to disable the line.",
    check: ({ scripts }) => scripts.flatMap(misspelt),
    fires: { "job.sbatch": job("SABTCH") },
    silent: { "job.sbatch": job("SBATCH") },
  }),
];
