/** `#SBATCH` lines as a launch's target. */
import type { Settings } from "../foreign/settings.ts";
import { owned } from "../targets/slurm/sbatch.ts";
import { quoted } from "./literals.ts";
import type { Target } from "./place.ts";
import { inTable } from "../../dsl/in-table.ts";

/** What cluster and steps say: ranks, devices, names and places of output. */
const elsewhere = /^(?:nodes|ntasks.*|gpus.*|gres|job_name|output|error|chdir|export|open_mode|signal|array)$/;

export function slurmTarget(directives: Settings): Target {
  const text = (name: string): string | null => {
    const value = directives.get(name)?.value;
    return value === undefined || value === null ? null : String(value);
  };
  const options: string[] = [];
  const raw: Record<string, string | true> = {};
  for (const name of ["partition", "account", "qos", "constraint", "reservation"]) {
    const value = text(name);
    if (value !== null) options.push(`${name} = ${quoted(value)}`);
  }
  const time = durationOf(text("time"));
  if (time !== null) options.push(`time = ${time}`);
  options.push(`requeue = ${directives.has("requeue") ? "true" : "false"}`);
  if (directives.has("exclusive")) options.push("exclusive = true");
  const memory = memoryOf(text("mem"));
  if (memory !== null) options.push(`memory = ${memory}`);
  const perTask = Number(text("cpus_per_task"));
  const tasks = Number(text("ntasks_per_node") ?? 1);
  if (Number.isInteger(perTask * tasks) && perTask > 0) options.push(`cpus = ${perTask * tasks}`);
  const typed = new Set([
    ...["partition", "account", "qos", "constraint", "reservation", "time", "requeue", "no_requeue", "exclusive"],
    ...["mem", "cpus_per_task"],
  ]);
  for (const [name, { value }] of directives) {
    const long = name.replaceAll("_", "-");
    if (typed.has(name) || elsewhere.test(name) || inTable(owned, long) !== undefined) continue;
    raw[long] = value === true || value === null ? true : String(value);
  }
  return { kind: "slurm", options, raw };
}

/** `1-12:00:00`, `48:00:00`, `30` minutes. */
export function durationOf(text: string | null): string | null {
  if (text === null) return null;
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text);
  if (match === null) return null;
  const [days, first, second, third] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  // With days, or with two colons, hours come first; else minutes do.
  const hasHours = match[1] !== undefined || match[4] !== undefined;
  const seconds = days * 86_400 + (hasHours ? first * 3600 + second * 60 + third : first * 60 + second);
  if (seconds <= 0) return null;
  const units = [
    [86_400, "d"],
    [3600, "h"],
    [60, "min"],
  ] as const;
  const unit = units.find(([size]) => seconds % size === 0);
  return unit === undefined ? `${seconds} s` : `${seconds / unit[0]} ${unit[1]}`;
}

/** `512G`: binary units, as Slurm reads them. */
function memoryOf(text: string | null): string | null {
  const match = /^(\d+)([KMGT]?)B?$/i.exec(text ?? "");
  if (match === null) return null;
  if (match[1] === "0") return "0 GB";
  return `${match[1]} ${(match[2] === "" ? "M" : (match[2] ?? "M")).toUpperCase()}iB`;
}

/** The GPU that a request names: `gpu:h100:8`, `-C a100`. */
export function gpuOf(directives: Settings): string | null {
  const texts = ["gres", "gpus_per_node", "gpus", "constraint", "partition"].map((name) =>
    String(directives.get(name)?.value ?? ""),
  );
  for (const text of texts) {
    const found =
      /(?<![a-z0-9])(?:nvidia[_-]?)?(gb[23]00|[bh][12]00|gh200|h800|h20|a100|a800|l40s?|mi300x?|v100|rtx_?4090)(?![0-9])/i.exec(
        text,
      );
    if (found !== null) return (found[1] ?? "").toLowerCase();
  }
  return null;
}
