/** Takes the commands of a script apart: the Slurm step, the container, the launcher, the program. */
import { carrying } from "./carried.ts";
import { assigned, environmentOf, exportedBy, type Environment } from "./environment.ts";
import { accelerate, colossalai, deepspeed, flux, jsrun, mpirun, torchrun } from "./launchers.ts";
import { launcherOptions, programOptions, type OptionTable } from "./options.ts";
import type { LauncherKind, Run, ScriptFile } from "../launch.ts";
import { folderOfRun } from "./run-folder.ts";
import { bare, type Settings } from "../settings.ts";
import { readIn } from "../shell/folder.ts";
import type { ShellCommand, ShellWord } from "../shell/state.ts";
import { withEnvironment } from "./torchrun-environment.ts";
import { torchxRun } from "./torchx.ts";
import { trainers } from "./trainers.ts";
import { unwrapped, type ReadFile, type Unwrapped } from "./unwrap.ts";
import { inTable } from "../../../dsl/in-table.ts";

export function runsOf(script: ScriptFile, from: ReadFile): readonly Run[] {
  const exported = exportedBy(script.directives.get("export"));
  // A launcher that starts a shell for each rank launches what that shell starts.
  const handedOn = new Set<ShellCommand | null>();
  const runs = script.commands.flatMap((command) => {
    const read = readIn(from, command.folder);
    const outer = command.outer === null ? null : outerOf(command.outer, read);
    const run = runOf(script, command, outer ?? alone, exported, read);
    if (run === null) return [];
    if (run.launcher.word === outer?.launcher?.word) handedOn.add(command.outer);
    return [{ run, command }];
  });
  return runs.filter(({ command }) => !handedOn.has(command)).map(({ run }) => run);
}

const alone: Outer = { step: null, docker: null, env: new Map(), moves: [], launcher: null };

interface Outer extends Pick<Unwrapped, "step" | "docker" | "env" | "moves"> {
  readonly launcher: Run["launcher"] | null;
}

/** The step, the container and the launcher around a shell that a script starts. */
function outerOf(command: ShellCommand, read: ReadFile): Outer {
  const above = command.outer === null ? null : outerOf(command.outer, read);
  const { step, docker: container, env, moves, words } = unwrapped(command.words, read);
  const started = launched(words);
  const program = started?.program ?? null;
  const isShell =
    /(?:^|\/)(?:(?:ba|z|da|k)?sh|[^/]+\.(?:sh|bash))$/.test(program?.text ?? "") ||
    (command.script !== undefined && program?.span === command.script.span);
  return {
    launcher: isShell ? (started?.launcher ?? null) : (above?.launcher ?? null),
    step: step ?? above?.step ?? null,
    docker: container ?? above?.docker ?? null,
    env: new Map([...(above?.env ?? []), ...env, ...passed(words, started, read)]),
    moves: [...(above?.moves ?? []), ...moves],
  };
}

/** `mpirun -x NAME=VALUE`, `mpiexec -genv NAME VALUE`, `torchx run … --env NAME=VALUE,…` */
function passed(words: readonly ShellWord[], started: Started | null, read: ReadFile): Environment {
  const isTorchx = words[0]?.text?.split("/").at(-1) === "torchx";
  if (started?.launcher.kind !== "mpirun" && !isTorchx) return new Map();
  const end = words.findIndex((word) => word === (isTorchx ? started?.args[0] : started?.program));
  const options = words.slice(1, end < 0 ? words.length : end);
  const pairs = options.flatMap(({ text }, at) => {
    const [name, value] = [options[at + 1], options[at + 2]];
    return /^--?g?env$/.test(text ?? "") && /^[A-Za-z_]\w*$/.test(name?.text ?? "") && value !== undefined
      ? [[name?.text ?? "", { value: value.text, span: value.span }] as const]
      : [];
  });
  const sets = isTorchx ? ["--env"] : ["-x", "--env", "-env"];
  return new Map([...assigned(options, { sets, list: isTorchx }, read), ...pairs]);
}

function runOf(
  script: ScriptFile,
  command: ShellCommand,
  outer: Outer,
  exported: Environment,
  read: ReadFile,
): Run | null {
  const own = unwrapped(command.words, read);
  const started = launched(own.words) ?? stepped(own);
  if (started === null) return null;
  const { settings, open } = programOptions(started.args);
  const env = environmentOf(exported, outer.env, command.env, own.env, passed(own.words, started, read));
  const around = { step: own.step ?? outer.step, docker: own.docker ?? outer.docker };
  return {
    script,
    command: {
      ...command,
      env,
      folder: folderOfRun(command, script, { ...around, moves: [...outer.moves, ...own.moves] }),
    },
    ...around,
    ...started,
    launcher: carrying(
      withEnvironment(
        started.launcher.kind === "python" ? (outer.launcher ?? started.launcher) : started.launcher,
        env,
      ),
    ),
    options: settings,
    open,
  };
}

const modules: Readonly<Record<string, LauncherKind>> = {
  "torch.distributed.run": "torchrun",
  "torch.distributed.launch": "torchrun",
  "accelerate.commands.launch": "accelerate",
  "deepspeed.launcher.runner": "deepspeed",
};

const tables: Readonly<Partial<Record<LauncherKind, OptionTable>>> = { torchrun, deepspeed, accelerate, mpirun };

/** Launchers that start one process for each rank, as mpirun does, by the table of their options. */
const processes: Readonly<Record<string, OptionTable>> = {
  mpirun,
  mpiexec: mpirun,
  "mpiexec.hydra": mpirun,
  orterun: mpirun,
  prterun: mpirun,
  aprun: mpirun,
  jsrun,
};

/** Any other program of a Slurm step: rules speak of the step. */
function stepped({ words, step }: Unwrapped): Started | null {
  const [word] = words;
  if (word === undefined || step === null || /^-|(?:^|\/)(?:ba|z|da)?sh$/.test(word.text ?? "")) return null;
  return { launcher: plainly("other", word), program: word, args: [] };
}

type Started = Pick<Run, "launcher" | "program" | "args">;

function launched(words: readonly ShellWord[]): Started | null {
  const [first] = words;
  const name = first?.text?.split("/").at(-1);
  if (first === undefined || name === undefined) return null;
  if (name === "torchrun" || name === "deepspeed") return startedBy(name, first, words.slice(1));
  const table = inTable(processes, name);
  if (table !== undefined) return startedBy("mpirun", first, words.slice(1), table);
  if (name === "flux" && words[1]?.text === "run") return startedBy("mpirun", first, words.slice(2), flux);
  if (name === "torchx") return torchxRun(words);
  // torchtune's own starter takes torchrun's options.
  if (name === "tune" && words[1]?.text === "run") return startedBy("torchrun", first, words.slice(2));
  // ColossalAI's launcher hands its options to torchrun, but for the number of nodes.
  if (name === "colossalai" && words[1]?.text === "run")
    return withHosts(startedBy("torchrun", first, words.slice(2), colossalai));
  if (name === "ft_launcher" || name === "torchrun-hpc") return startedBy("torchrun", first, words.slice(1));
  if (name === "accelerate" && words[1]?.text === "launch") return startedBy("accelerate", first, words.slice(2));
  if (trainers.has(name)) return { launcher: plainly("other", first), program: first, args: words.slice(1) };
  if (name.endsWith(".py")) return { launcher: plainly("python", first), program: first, args: words.slice(1) };
  if (!/^python[\d.]*$/.test(name)) return null;
  const flags = words.findIndex((word, at) => at > 0 && (word.text === null || !/^-(?!m$|c$)/.test(word.text)));
  const rest = words.slice(flags < 0 ? words.length : flags);
  if (rest[0]?.text === "-c") return null;
  if (rest[0]?.text === "-m") {
    const kind = inTable(modules, rest[1]?.text ?? "");
    if (kind !== undefined) return startedBy(kind, first, rest.slice(2));
    return { launcher: plainly("python", first), program: rest[1] ?? null, args: rest.slice(2) };
  }
  if (rest[0] === undefined) return null;
  return { launcher: plainly("python", first), program: rest[0], args: rest.slice(1) };
}

function plainly(kind: LauncherKind, word: ShellWord): Run["launcher"] {
  return { kind, settings: new Map(), word, open: null };
}

function startedBy(
  kind: LauncherKind,
  word: ShellWord,
  words: readonly ShellWord[],
  table = tables[kind] as OptionTable,
): Started {
  const { settings, rest, open } = launcherOptions(words, table);
  if (kind === "mpirun") {
    const inner = launched(rest);
    if (inner !== null) return { ...inner, launcher: { kind, settings, word, open } };
  }
  const start = /^python[\d.]*$/.test(rest[0]?.text?.split("/").at(-1) ?? "") ? 1 : 0;
  const named = rest[start]?.text === "-m" ? start + 1 : start;
  const plain = withPrefixes(settings);
  return {
    launcher: { kind, settings: plain, word, open },
    program: rest[named] ?? null,
    args: rest.slice(named + 1),
  };
}

/** `--num_nodes` is torchrun's number of nodes; hosts that are listed elsewhere are not counted here. */
function withHosts(started: Started): Started {
  const { launcher } = started;
  const told = launcher.settings.get("num_nodes");
  const listed = launcher.settings.get("hostfile") ?? launcher.settings.get("host");
  const nodes = told ?? (listed === undefined ? undefined : { ...listed, value: null, known: false });
  if (nodes === undefined) return started;
  return { ...started, launcher: { ...launcher, settings: new Map([...launcher.settings, ["nnodes", nodes]]) } };
}

/** `--nproc-per-node` and `--nproc_per_node` are one; torch 1.x wrote `--nproc`. */
function withPrefixes(settings: Settings): Settings {
  return new Map([...settings].map(([name, told]) => [bare(name), told]));
}
