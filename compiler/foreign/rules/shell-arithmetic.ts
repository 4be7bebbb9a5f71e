/** Arithmetic that the shell refuses, so that the command around it never starts. */
import { rule, type ForeignRule, type Found } from "./rule.ts";

const start = (ranks: string): string => `GPUS=8\nNODES=0\ntorchrun --nproc-per-node=${ranks} train.py\n`;

export const shellArithmeticRules: readonly ForeignRule[] = [
  rule({
    name: "shell-arithmetic",
    source: "bash(1): ARITHMETIC EVALUATION; bash/expr.c: expmuldiv, exppower, strlong",
    why: "The shell stops at an expression that it cannot compute (`division by 0`, `value too great for base`): bash skips the whole line and continues with the next one, other shells end.",
    fix: "Correct the expression; `$((10#08))` reads digits as a decimal number.",
    check: ({ scripts }) => {
      const found = new Map<string, Found>();
      for (const { words, certain } of scripts.flatMap(({ commands }) => commands)) {
        if (!certain) continue;
        for (const { span, refused } of words.flatMap(({ pieces }) => pieces)) {
          if (refused === undefined) continue;
          const text = span.source.text.slice(span.start, span.end);
          found.set(`${span.source.path} ${span.start}`, {
            span,
            message: `the shell cannot compute ${text}: ${refused}`,
          });
        }
      }
      return [...found.values()];
    },
    fires: { "run.sh": start("$((GPUS / NODES))") },
    silent: { "run.sh": start("$((GPUS / 2))") },
  }),
];
