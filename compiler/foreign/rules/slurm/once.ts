/** A program that a batch script starts once where its directives ask for a task on every node. */
import type { ScriptFile } from "../../launch.ts";
import { numberIn, toldIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --gpus-per-node=4\n";

/** Other ways onto the other nodes. */
const spreads =
  /(?:^|\/)(?:srun|mpirun|mpiexec|prun|aprun|jsrun|pdsh|clush|ssh|parallel|ray|dask|pbsdsh|bash|sh|source|\.)$/;

const spreadsItself = ({ commands, source }: ScriptFile): boolean =>
  commands.some(({ words }) => words.some(({ text }) => spreads.test(text ?? ""))) || /\bsrun\b/.test(source.text);

export const slurmOnceRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-started-once",
    severity: "warning",
    source: "sbatch(1): the batch script runs once, on the first node of the allocation; srun(1)",
    why: "Only `srun` starts the tasks of the directives. Called directly, the program runs once on the first node; a program that reads Slurm's variables (Lightning, submitit) then believes it is the first of many and waits for the rest.",
    fix: "Put srun in front of it, or request one node and one task.",
    check: ({ runs, scripts }) =>
      scripts.flatMap((script): readonly Found[] => {
        const { directives } = script;
        const tasks = toldIn(directives, "ntasks_per_node", "ntasks");
        const own = runs.filter((run) => run.script === script);
        const [first] = own;
        if (tasks === undefined || first === undefined || own.length > 1 || spreadsItself(script)) return [];
        const [nodes, each] = [numberIn(directives, "nodes"), numberIn(directives, "ntasks_per_node", "ntasks")];
        // On one node only a program that counts tasks as its devices waits for them.
        const waits = numberIn(first.options, "devices", "trainer.devices") === each;
        if (nodes === null || each === null || each < 2 || (nodes < 2 && !waits)) return [];
        if (first.launcher.kind !== "python" || first.step !== null || first.command.outer !== null) return [];
        if (first.command.looped || directives.has("array")) return [];
        return [
          {
            span: first.launcher.word.span,
            message: `this runs once${nodes > 1 ? `, on the first of ${nodes} nodes` : " without srun"}: nothing starts the other tasks`,
            ...nearby("the tasks", tasks.span),
          },
        ];
      }),
    fires: { "job.sbatch": `${head}python train.py\n` },
    silent: { "job.sbatch": `${head}srun python train.py\n` },
  }),
];
