import type { Span } from "../../../dsl/source/source.ts";
import { launcherOptions, type Parsed } from "../commands/options.ts";
import { sbatchName, sbatchOptions, sbatchShort, sbatchValued } from "./options.ts";
import { bare, type Settings, type Told } from "../settings.ts";
import type { Placed } from "../shell/reading.ts";
import type { ShellWord } from "../shell/state.ts";
import { hasHole, type Text } from "../shell/text.ts";

/** `#SBATCH` lines. sbatch reads them up to the first line that is neither empty nor a comment. */
export function directivesOf(text: Text): Directives {
  const settings = new Map<string, Told>();
  const late: Span[] = [];
  const strays: Span[] = [];
  const replaced: Replaced[] = [];
  const found = { settings, late, strays, replaced };
  if (!text.text.includes("#SBATCH")) return found;
  let open = true;
  // Each part of a job of several kinds has options of its own.
  let isWhole = true;
  // The end of a here-document: what stands in one is another script's.
  let end: string | null = null;
  for (const { 0: line, index } of text.text.matchAll(/^[^\n]*$/gm)) {
    if (end !== null) {
      if (line.trim() === end) end = null;
      continue;
    }
    if (/^#SBATCH(?:\s|$)/.test(line)) {
      if (!open) late.push(text.spanOf(index, index + line.trimEnd().length));
      else if (/^#SBATCH\s+(?:het|pack)job\b/.test(line)) isWhole = false;
      else
        for (const { key, told } of optionsIn(line, index, text, strays)) {
          const earlier = settings.get(key);
          if (earlier !== undefined && isWhole) replaced.push({ key, told: earlier });
          settings.set(key, told);
        }
    } else if (!/^\s*(?:#.*)?$/.test(line)) {
      open = false;
      end = /(?:^|[^<])<<-?\s*["'\\]?([A-Za-z_]\w*)/.exec(line)?.[1] ?? null;
    }
  }
  return found;
}

interface Directives {
  readonly settings: Settings;
  /** Directives behind the first command. */
  readonly late: readonly Span[];
  /** Words that belong to no option. */
  readonly strays: readonly Span[];
  /** Directives that a later one of the same name takes the place of: sbatch reads them all, and the last counts. */
  readonly replaced: readonly Replaced[];
}

export interface Replaced {
  readonly key: string;
  readonly told: Told;
}

function optionsIn(
  line: string,
  offset: number,
  text: Text,
  strays: Span[],
): { readonly key: string; readonly told: Told }[] {
  const words = [...line.matchAll(/(?:"[^"]*"|'[^']*'|\{\{.*?\}\}|\{%.*?%\}|\S)+/g)].slice(1);
  const found: { key: string; told: Told }[] = [];
  for (let at = 0; at < words.length; at++) {
    const { 0: word, index } = words[at] as RegExpExecArray;
    if (word.startsWith("#")) break;
    const span = text.spanOf(offset + index, offset + index + word.length);
    if (!word.startsWith("-")) {
      // Between the parts of a job of several kinds stands a word of its own.
      if (!/^(?:het|pack)job$/.test(word)) strays.push(span);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const short = word.startsWith("--") ? undefined : sbatchShort[word.slice(0, 2)];
    const written = equals > 0 ? word.slice(0, equals) : short === undefined ? word : word.slice(0, 2);
    const name = short ?? sbatchName(bare(written));
    const attached =
      equals > 0 ? word.slice(equals + 1) : short !== undefined && word.length > 2 ? word.slice(2) : null;
    const next = words[at + 1];
    const takes =
      attached === null &&
      next?.[0].startsWith("-") === false &&
      // A plugin's option, as those of pyxis, mostly takes a value: nobody can tell.
      (sbatchValued.has(name) || !sbatchOptions.has(name));
    const value = attached ?? (takes ? (next?.[0] ?? null) : null);
    const whole =
      takes && next !== undefined ? text.spanOf(offset + index, offset + next.index + next[0].length) : span;
    if (takes) at++;
    const plain = value === null ? true : value.replace(/^(["'])(.*)\1$/, "$2");
    const known = typeof plain !== "string" || !hasHole(plain);
    found.push({
      key: name,
      told: { value: known ? plain : null, known, span: whole, name: written, nameSpan: span, from: [] },
    });
  }
  return found;
}

/** What a call of sbatch on a command line says. */
export function sbatchSettings(words: readonly ShellWord[]): Settings {
  return sbatchCall(words).settings;
}

/** Its options, and the script behind them with its words. */
export function sbatchCall(words: readonly ShellWord[]): Parsed {
  return launcherOptions(words, { valued: sbatchValued, short: sbatchShort });
}

/** GPUs that a node gives, by any of Slurm's ways to say it. */
export function gpusPerNode(settings: Settings): { readonly count: number; readonly told: Told } | null {
  const own = settings.get("gpus_per_node");
  if (own !== undefined) return counted(own, String(own.value));
  const gres = settings.get("gres");
  const gpu = /(?:^|,)gpu(?::[^,:]+)?:(\d+)/.exec(String(gres?.value ?? ""));
  if (gres !== undefined && gpu !== null) return { count: Number(gpu[1]), told: gres };
  if (gres !== undefined && /(?:^|,)gpu(?:$|,)/.test(String(gres.value))) return { count: 1, told: gres };
  const [perTask, tasks] = [settings.get("gpus_per_task"), settings.get("ntasks_per_node")];
  if (perTask !== undefined && tasks !== undefined) {
    const count = counted(perTask, String(perTask.value));
    return count === null ? null : { count: count.count * Number(tasks.value), told: perTask };
  }
  return null;
}

function counted(told: Told, text: string): { readonly count: number; readonly told: Told } | null {
  const count = Number(/(\d+)$/.exec(text)?.[1]);
  return Number.isInteger(count) ? { count, told } : null;
}

/** Variables that Slurm sets in the batch script, as far as its directives decide them. */
export function slurmVariables(settings: Settings): Map<string, Placed> {
  const variables = new Map<string, Placed>();
  const [first] = settings.values();
  if (first === undefined) return variables;
  const set = (name: string, value: string, by: Told | undefined): void => {
    variables.set(name, { value, span: (by ?? first).span });
  };
  const copy = (name: string, option: string): void => {
    const told = settings.get(option);
    if (told !== undefined && /^\d+$/.test(String(told.value))) set(name, String(told.value), told);
  };
  const [said, perNode, total] = ["nodes", "ntasks_per_node", "ntasks"].map((name) => settings.get(name));
  const nodes = Number(said?.value ?? 1);
  const tasks = total?.value ?? (perNode === undefined ? nodes : nodes * Number(perNode.value));
  if (Number.isInteger(nodes)) {
    for (const name of ["SLURM_NNODES", "SLURM_JOB_NUM_NODES"]) set(name, String(nodes), said);
    if (Number.isInteger(Number(tasks)))
      for (const name of ["SLURM_NTASKS", "SLURM_NPROCS"]) set(name, String(tasks), total ?? perNode ?? said);
  }
  copy("SLURM_NTASKS_PER_NODE", "ntasks_per_node");
  copy("SLURM_CPUS_PER_TASK", "cpus_per_task");
  copy("SLURM_GPUS_PER_NODE", "gpus_per_node");
  copy("SLURM_GPUS", "gpus");
  const gpus = gpusPerNode(settings);
  if (gpus !== null) set("SLURM_GPUS_ON_NODE", String(gpus.count), gpus.told);
  // The batch script is one process on the first node.
  for (const name of ["SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"]) set(name, "0", undefined);
  return variables;
}
