/** What stands around the program that is imported, and has no place in the file: told, never dropped in silence. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { inTable } from "../../dsl/in-table.ts";
import { importLeftOut } from "../diagnostics/import.ts";
import type { Launch, Run } from "../foreign/launch.ts";
import type { Skipped } from "../foreign/shell/reading.ts";
import type { ShellCommand, ShellWord } from "../foreign/shell/state.ts";
import { startedThrough } from "./started-through.ts";
import { owned } from "../targets/slurm/sbatch.ts";

/** What the cluster, the ranks and the run's own folder say otherwise. */
const said = /^(?:nodes|ntasks.*|gpus.*|gres|cpus_per_task|job_name|export|open_mode|jobid|no_requeue|requeue)$/;

/** Options that only say how many ranks there are, and where they meet. */
const places =
  /^(?:nnodes|nproc.*|np|n|nrs|tasks_per_rs|gpu_per_rs|ppn|num_(?:processes|machines|gpus|nodes)|node_rank|machine_rank|master_.*|rdzv_(?:backend|endpoint|id)|standalone|main_process_.*|hostfile|host|module|config_file|multi_gpu|same_network)$/;

export const isPlace = (name: string): boolean => places.test(name);

/** What accelerate is told of the training is told with the training's own options; variables are written. */
const trained =
  /^(?:mixed_precision|use_.*|deepspeed.*|fsdp.*|zero.*|offload.*|gradient_.*|parallelism_config.*|x|env|genv)$/;

/** Programs that show or prepare what a run needs nothing of. */
const idle =
  /^(?:mkdir|chmod|cd|ls|cat|head|tail|grep|awk|sed|sort|wc|tee|date|hostname|sleep|wait|which|nvidia-smi|rocm-smi|scontrol|free|df|top|basename|dirname|touch|clear|true|env|printenv|module|ml)$/;

const most = 12;

export function leftAround(run: Run, { scripts }: Launch): readonly Diagnostic[] {
  const { script, step, docker, launcher } = run;
  const directives = [...script.directives].flatMap(([name, told]) => {
    const why = said.test(name) ? undefined : inTable(owned, name.replaceAll("_", "-"));
    return why === undefined || /^write `(?!lead)/.test(why)
      ? []
      : [importLeftOut(told.span, { what: `${told.name} ${String(told.value ?? "…")}`, why })];
  });
  const steps = [...(step?.settings ?? [])].flatMap(([name, told]) =>
    said.test(name)
      ? []
      : [importLeftOut(told.nameSpan, { what: `srun ${told.name}`, why: "the launch makes its own step" })],
  );
  const container =
    docker === null
      ? []
      : [
          importLeftOut(docker.span, {
            what: docker.image?.text === undefined ? "the container" : `the container ${docker.image?.text ?? ""}`,
            why: "the launch runs in the project's environment; `image` makes one",
          }),
        ];
  const launchers = [...launcher.settings].flatMap(([name, told]) =>
    isPlace(name) || trained.test(name) || told.span === launcher.open?.span
      ? []
      : [
          importLeftOut(told.nameSpan, {
            what: `${launcher.word.text} ${told.name}`,
            why: "the engine is started again",
          }),
        ],
  );
  return [
    ...directives,
    ...steps,
    ...container,
    ...launchers,
    ...startedThrough(run),
    ...scripts.flatMap(({ skipped }) => skipped).map(leftBehind),
    ...besides(
      run,
      scripts.flatMap(({ commands }) => commands),
    ),
  ];
}

function leftBehind({ words, why, span }: Skipped): Diagnostic {
  return importLeftOut(words[0]?.span ?? span, { what: shown(words), why });
}

/** Words behind the second may hold a key. */
function shown(words: readonly ShellWord[]): string {
  const first = words.slice(0, 2).map(({ text }) => text ?? "…");
  return `\`${first.join(" ")}${words.length > 2 ? " …" : ""}\``;
}

/** Other commands of the scripts, but for those that start the run. */
function besides(run: Run, commands: readonly ShellCommand[]): readonly Diagnostic[] {
  const own = new Set<ShellCommand>();
  const start = commands.find(({ words }) => words === run.command.words);
  for (let each: ShellCommand | null = start ?? null; each !== null; each = each.outer) own.add(each);
  const places = new Set<number>();
  return commands
    .filter(({ words: [first], span }) => {
      const name = first?.text?.split("/").at(-1);
      const isNew = !places.has(span.start);
      places.add(span.start);
      return isNew && name !== undefined && !idle.test(name);
    })
    .filter((command) => !own.has(command) && command.words !== run.command.words)
    .slice(0, most)
    .map(({ words, span }) => {
      return importLeftOut(words[0]?.span ?? span, {
        what: shown(words),
        why: "a file describes the run, not the work around it",
      });
    });
}
