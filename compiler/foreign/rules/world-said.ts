/** The ranks that `--world` says against those that the files start. */
import { worldOf } from "../world.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

export const worldSaidRules: readonly ForeignRule[] = [
  rule({
    name: "world-said",
    severity: "warning",
    source: "cdrc check --world N: ranks of a launch whose files don't say",
    why: "`--world` overrides the files, and every rule uses its number. But the launcher still starts the number of ranks in the files.",
    fix: "Leave --world out, or set it to the number of ranks that the launcher starts.",
    check: ({ runs, accelerate, supplied, listings }) => {
      if (supplied.world === null) return [];
      const own = runs.map((run) => worldOf(run, accelerate, { ...supplied, world: null }, listings));
      const told = own.filter(({ size, said }) => size !== null && said.length > 0);
      if (told.some(({ size }) => size === supplied.world)) return [];
      return told.slice(0, 1).flatMap(({ size, said: [first, second] }): readonly Found[] =>
        first === undefined
          ? []
          : [
              {
                span: first.span,
                message: `--world gives ${supplied.world} ranks, but this starts ${size}; ${supplied.world} are assumed`,
                ...nearby("and here", second?.span),
              },
            ],
      );
    },
    fires: { "run.sh": "torchrun --nproc-per-node=8 train.py\n" },
    silent: { "run.sh": "torchrun --nnodes=2 --nproc-per-node=8 train.py\n" },
    supplied: { world: 16 },
  }),
];
