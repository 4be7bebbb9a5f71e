/** Takes the commands of a script apart: the Slurm step, the container, the launcher, the program. */
import { accelerate, deepspeed, docker, mpirun, srun, torchrun, wrappers } from "./launchers.ts";
import { launcherOptions, programOptions, type OptionTable } from "./options.ts";
import type { LauncherKind, Run, ScriptFile } from "./launch.ts";
import { bare, type Settings } from "./settings.ts";
import type { ShellCommand, ShellWord } from "./shell/state.ts";

type Step = Run["step"];
type Container = Run["docker"];

export function runsOf(script: ScriptFile): readonly Run[] {
  return script.commands.flatMap((command) => {
    const outer = command.outer === null ? null : outerOf(command.outer);
    const run = runOf(script, command, outer?.step ?? null, outer?.docker ?? null);
    return run === null ? [] : [run];
  });
}

/** The step and the container around a shell that a script starts. */
function outerOf(command: ShellCommand): { readonly step: Step; readonly docker: Container } {
  const above = command.outer === null ? { step: null, docker: null } : outerOf(command.outer);
  const { step, docker: container } = unwrapped(command.words);
  return { step: step ?? above.step, docker: container ?? above.docker };
}

function runOf(script: ScriptFile, command: ShellCommand, step: Step, container: Container): Run | null {
  const own = unwrapped(command.words);
  const started = launched(own.words) ?? stepped(own);
  if (started === null) return null;
  const { settings, open } = programOptions(started.args);
  return {
    script,
    command,
    step: own.step ?? step,
    docker: own.docker ?? container,
    ...started,
    options: settings,
    open,
  };
}

function unwrapped(all: readonly ShellWord[]): {
  readonly words: readonly ShellWord[];
  readonly step: Step;
  readonly docker: Container;
} {
  let words = all;
  let step: Step = null;
  let container: Container = null;
  for (let depth = 0; depth < 12; depth++) {
    const [first] = words;
    const name = first?.text?.split("/").at(-1);
    if (first === undefined || name === undefined) break;
    if (/^[A-Za-z_]\w*=/.test(first.text ?? "")) words = words.slice(1);
    else if (name === "srun") {
      const { settings, rest } = launcherOptions(words.slice(1), srun);
      step = { settings, span: first.span };
      words = rest;
    } else if (name === "docker" || name === "podman") {
      const verb = words[1]?.text;
      if (verb !== "run" && verb !== "exec") break;
      const { settings, rest } = launcherOptions(words.slice(2), docker);
      container = { settings, span: first.span, image: verb === "run" ? (rest[0] ?? null) : null };
      words = rest.slice(1);
    } else if (name === "singularity" || name === "apptainer") {
      words = launcherOptions(words.slice(2), {
        valued: new Set(["bind", "env", "pwd", "home"]),
        short: { "-B": "bind" },
      }).rest.slice(1);
    } else if (wrappers[name] !== undefined) {
      const wrapper = wrappers[name];
      const table: OptionTable = { valued: new Set(wrapper?.valued), short: {} };
      words = launcherOptions(words.slice(1), table).rest.slice(wrapper?.words ?? 0);
    } else break;
  }
  return { words, step, docker: container };
}

const modules: Readonly<Record<string, LauncherKind>> = {
  "torch.distributed.run": "torchrun",
  "torch.distributed.launch": "torchrun",
  "accelerate.commands.launch": "accelerate",
  "deepspeed.launcher.runner": "deepspeed",
};

const tables: Readonly<Partial<Record<LauncherKind, OptionTable>>> = { torchrun, deepspeed, accelerate, mpirun };

/** Any other program of a Slurm step: rules speak of the step. */
function stepped({ words, step }: ReturnType<typeof unwrapped>): Started | null {
  const [word] = words;
  if (word === undefined || step === null || /(?:^|\/)(?:ba|z|da)?sh$/.test(word.text ?? "")) return null;
  return { launcher: { kind: "other", settings: new Map(), word }, program: word, args: [] };
}

type Started = Pick<Run, "launcher" | "program" | "args">;

function launched(words: readonly ShellWord[]): Started | null {
  const [first] = words;
  const name = first?.text?.split("/").at(-1);
  if (first === undefined || name === undefined) return null;
  if (name === "torchrun" || name === "deepspeed" || name === "mpirun" || name === "mpiexec")
    return startedBy(name === "mpiexec" ? "mpirun" : name, first, words.slice(1));
  if (name === "ft_launcher" || name === "torchrun-hpc") return startedBy("torchrun", first, words.slice(1));
  if (name === "accelerate" && words[1]?.text === "launch") return startedBy("accelerate", first, words.slice(2));
  if (["llamafactory-cli", "axolotl", "nanotron", "composer"].includes(name))
    return { launcher: { kind: "other", settings: new Map(), word: first }, program: first, args: words.slice(1) };
  if (!/^python[\d.]*$/.test(name)) return null;
  const flags = words.findIndex((word, at) => at > 0 && (word.text === null || !/^-(?!m$|c$)/.test(word.text)));
  const rest = words.slice(flags < 0 ? words.length : flags);
  if (rest[0]?.text === "-c") return null;
  if (rest[0]?.text === "-m") {
    const kind = modules[rest[1]?.text ?? ""];
    if (kind !== undefined) return startedBy(kind, first, rest.slice(2));
    return { launcher: python(first), program: rest[1] ?? null, args: rest.slice(2) };
  }
  if (rest[0] === undefined) return null;
  return { launcher: python(first), program: rest[0], args: rest.slice(1) };
}

function python(word: ShellWord): Run["launcher"] {
  return { kind: "python", settings: new Map(), word };
}

function startedBy(kind: LauncherKind, word: ShellWord, words: readonly ShellWord[]): Started {
  const { settings, rest } = launcherOptions(words, tables[kind] as OptionTable);
  if (kind === "mpirun") {
    const inner = launched(rest);
    if (inner !== null) return { ...inner, launcher: { kind, settings, word } };
  }
  const start = /^python[\d.]*$/.test(rest[0]?.text?.split("/").at(-1) ?? "") ? 1 : 0;
  const named = rest[start]?.text === "-m" ? start + 1 : start;
  const plain = withPrefixes(settings);
  return { launcher: { kind, settings: plain, word }, program: rest[named] ?? null, args: rest.slice(named + 1) };
}

/** `--nproc-per-node` and `--nproc_per_node` are one; torch 1.x wrote `--nproc`. */
function withPrefixes(settings: Settings): Settings {
  return new Map([...settings].map(([name, told]) => [bare(name), told]));
}
