/** `torchx run [options] COMPONENT [its options] -- arguments`: the components that start torchrun on each node. */
import { launcherOptions, type OptionTable } from "./options.ts";
import type { Run } from "../launch.ts";
import type { Told } from "../settings.ts";
import type { ShellWord } from "../shell/state.ts";

/** Source: torchx/cli/cmd_run.py: add_arguments. */
const own: OptionTable = {
  valued: new Set(["scheduler", "scheduler_args", "workspace", "parent_run_id", "tee"]),
  short: { "-s": "scheduler", "-cfg": "scheduler_args" },
  isWhole: true,
};

/** Source: torchx/components/dist.py: ddp, spmd. */
const component: OptionTable = {
  valued: new Set(
    "script m image name h cpu gpu memMB j env metadata max_retries rdzv_port rdzv_backend mounts debug tee".split(
      " ",
    ),
  ),
  short: {},
  isWhole: true,
};

const usual = "1x2";

export function torchxRun(words: readonly ShellWord[]): Pick<Run, "launcher" | "program" | "args"> | null {
  const [word, verb] = words;
  if (word === undefined || verb?.text !== "run") return null;
  const { rest } = launcherOptions(words.slice(2), own);
  const name = rest[0]?.text ?? "";
  if (name !== "dist.ddp" && name !== "dist.spmd") return null;
  const { settings, rest: left, open } = launcherOptions(rest.slice(1), component);
  const program = programOf(settings.get("script") ?? settings.get("m"), left);
  const args = program === left[0] ? left.slice(1) : left;
  return {
    launcher: { kind: "torchrun", settings: sizes(settings.get("j"), word, open !== null), word, open },
    program,
    args,
  };
}

/** The program as a word; `spmd` takes it by its place too. */
function programOf(told: Told | undefined, left: readonly ShellWord[]): ShellWord | null {
  if (told === undefined) return left[0] ?? null;
  const text = typeof told.value === "string" ? told.value : null;
  return { text, span: told.span, from: told.from, pieces: [{ text, span: told.span, quoted: true }] };
}

/** `-j 2x8`, `-j 1:2x8`, `-j 8`: nodes and processes of each (torchx/components/dist.py: parse_nnodes). */
function sizes(told: Told | undefined, word: ShellWord, isOpen: boolean): ReadonlyMap<string, Told> {
  if (told === undefined && isOpen) return new Map();
  const place: Told = told ?? {
    value: usual,
    known: true,
    span: word.span,
    name: "torchx",
    nameSpan: word.span,
    from: [],
  };
  const parts = /^(?:(\d+(?::\d+)?)x)?(\d+)$/.exec(typeof place.value === "string" ? place.value : "");
  const nodes = parts === null ? null : (parts[1] ?? "1");
  const made = (value: string | null): Told => ({ ...place, value, known: value !== null });
  return new Map([
    ["nnodes", made(nodes)],
    ["nproc_per_node", made(parts?.[2] ?? null)],
  ]);
}
