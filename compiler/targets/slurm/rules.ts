/** What can be known to be wrong with a Slurm launch before it is sent. */
import { replacement, suggest } from "../../../dsl/diagnostics/suggest.ts";
import type { Details, Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Dimension } from "../../../dsl/types/units.ts";
import { number, showNumber } from "../../../dsl/types/value.ts";
import * as say from "../../diagnostics/slurm.ts";
import type { ClusterSpec, Pipeline, SlurmOptions } from "../../pipeline.ts";
import { free, optionName, owned } from "./sbatch.ts";
import { inTable } from "../../../dsl/in-table.ts";

/** Where an option was written: `time`, `raw.mail-type`; the launch's own place where it was not. */
export type SpanOf = (option: string) => Span;

/** Slurm keeps the lead in 16 bits, and minutes in 32, of which it uses the upper few for special values. */
const longestLead = 65_535;
const longestTime = 60 * (2 ** 31 - 1);

export function checkSlurm({ launch, steps }: Pipeline, spanOf: SpanOf): Diagnostic[] {
  const { target: options, cluster } = launch;
  if (options.kind !== "slurm") return [];
  return [
    ...checkTime(options, spanOf),
    ...checkRequeue(options, steps, { at: spanOf("requeue"), said: launch.spans.has("requeue") }),
    ...checkNames(options, spanOf),
    ...checkNode(options, cluster, spanOf),
    ...checkRaw(options, cluster, spanOf),
  ];
}

function checkTime({ time, lead, requeue }: SlurmOptions, spanOf: SpanOf): Diagnostic[] {
  const found: Diagnostic[] = [];
  const timeIs = (why: string) => found.push(say.slurmTime(spanOf("time"), { why }));
  if (time !== null && !(time > 0)) timeIs("it must be more than zero");
  else if (time !== null && time > longestTime) timeIs("Slurm counts minutes up to 2147483647");
  const leadIs = (why: string) => found.push(say.slurmLead(spanOf("lead"), { lead, why }));
  if (!Number.isInteger(lead) || lead < 0) leadIs("is not a whole number of seconds");
  else if (lead > longestLead) leadIs(`is more than Slurm allows, ${longestLead} s`);
  else if (time !== null && time > 0 && lead >= time) leadIs(`takes all of the time limit of ${time} s`);
  else if (lead === 0 && requeue) leadIs("leaves no time to save before the job is requeued");
  return found;
}

function checkRequeue(
  { requeue }: SlurmOptions,
  steps: Pipeline["steps"],
  { at, said }: { readonly at: Span; readonly said: boolean },
): Diagnostic[] {
  if (!requeue) return [];
  return steps.flatMap((step) => {
    if (step.kind !== "stage") return [];
    const of = { stage: step.name, said };
    if (step.resume === "never") return [say.slurmRequeue(at, { ...of, why: "never resumes" })];
    if (step.resume === "weights") {
      const why = "resumes only its weights: its optimizer, schedule and data start from scratch each time";
      return [say.slurmRequeue(at, { ...of, why }, { severity: "warning" })];
    }
    if (step.checkpoint !== null) return [];
    const why = "saves no checkpoints before its end: after the failure of a node it starts from scratch";
    return [say.slurmRequeue(at, { ...of, why }, { severity: "warning" })];
  });
}

function checkNames(options: SlurmOptions, spanOf: SpanOf): Diagnostic[] {
  const names = (["partition", "account", "qos", "reservation"] as const).flatMap((property) => {
    const value = options[property];
    return value === null || /^[A-Za-z0-9_.+@:,-]+$/.test(value)
      ? []
      : [say.slurmName(spanOf(property), { property, value })];
  });
  const { constraint } = options;
  if (constraint === null || isLine(constraint)) return names;
  return [...names, say.slurmText(spanOf("constraint"), { what: "constraint", why: "is not one line of text" })];
}

/** Hardware threads of a core, which Slurm counts as its CPUs where a site says so. */
const threads = 2;

function checkNode({ cpus, memory }: SlurmOptions, { cores, ram }: ClusterSpec, spanOf: SpanOf): Diagnostic[] {
  const more = (property: string, asked: number | null, has: number | null, unit: Dimension): Diagnostic[] => {
    if (asked === null || has === null || asked <= has) return [];
    const shown = (count: number) => showNumber(number(count, unit));
    return [say.slurmNode(spanOf(property), { property, asked: shown(asked), has: shown(has) })];
  };
  return [
    ...more("cpus", cpus, cores === null ? null : threads * cores, {}),
    ...more("memory", memory, ram, { byte: 1 }),
  ];
}

function checkRaw({ raw }: SlurmOptions, cluster: ClusterSpec, spanOf: SpanOf): Diagnostic[] {
  return Object.entries(raw).flatMap(([written, value]): Diagnostic[] => {
    const name = optionName(written);
    const at = spanOf(`raw.${written}`);
    const instead = inTable(owned, name);
    if (instead !== undefined) return [say.slurmOwned(at, { name, instead })];
    if (!free.has(name)) return [say.slurmDirective(at, { name }, nearestOption(at, name))];
    if (!isLine(String(value))) return [say.slurmText(at, { what: `\`${name}\``, why: "is not one line of text" })];
    const gpus = gpusIn(name, String(value));
    if (gpus === null || cluster.device.kind !== "gpu" || gpus === String(cluster.gpusPerNode)) return [];
    const slots = { written: `\`${name} = "${String(value)}"\``, found: gpus, gpus: cluster.gpusPerNode };
    return [say.slurmGpus(at, slots, { valid: [String(cluster.gpusPerNode)] })];
  });
}

/** Written as the wrong one was: names with a hyphen stand in quotes, and outside of them have an underscore. */
function nearestOption(at: Span, name: string): Details {
  const quoted = at.source.text[at.start] === '"';
  const { fixes = [], ...details } = suggest(at, name, [...free]);
  const written = fixes
    .flatMap(({ edits }) => edits)
    .map(({ newText }) => replacement(at, quoted ? `"${newText}"` : newText.replaceAll("-", "_")));
  return { ...details, fixes: written };
}

/** The number in `gpu:8`, `gpu:h100:8`, `h100:8`, `8`; `null` where GPUs are not meant. */
function gpusIn(name: string, value: string): string | null {
  if (name === "gpus-per-node") return value.split(":").at(-1) ?? null;
  if (name !== "gres") return null;
  const gpu = value.split(",").find((part) => /^gpu(:|$)/.test(part));
  if (gpu === undefined) return null;
  const last = gpu.split(":").at(-1) ?? "";
  return /^\d+$/.test(last) ? last : "1";
}

function isLine(text: string): boolean {
  return text !== "" && [...text].every((character) => character >= " " && character !== "\u007F");
}
