// The examples of the engines' rules as files that can be typed, and what `cdrc check` says of them.
import type { Demand, Example } from "../compiler/engines/deepspeed/step.ts";
import { exampleConfig, tryExample as tryConfiguration } from "../compiler/engines/deepspeed/example.ts";
import { diagnosticsOfMegatron } from "../compiler/engines/megatron/diagnostics.ts";
import { type ExampleLaunch, exampleLaunch, tryExample } from "../compiler/engines/megatron/example.ts";
import { parseCommandLine } from "../compiler/engines/megatron/command-line.ts";
import { programOf as entryProgram } from "../compiler/engines/megatron/programs.ts";
import type { Rule } from "../compiler/engines/megatron/step.ts";
import { argumentTable, knownVersions } from "../compiler/engines/megatron/table.ts";
import { below } from "../compiler/engines/release.ts";
import { checkForeign } from "../compiler/foreign/check.ts";
import { diagnosticOf } from "../compiler/foreign/deepspeed.ts";
import type { Launch, Supplied } from "../compiler/foreign/launch.ts";
import { toldOf } from "../compiler/foreign/rules/example.ts";
import type { Files } from "../compiler/foreign/rules/rule.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";

type Given = Partial<Supplied>;

/** Files that break a rule, the nearest that do not, and what is said of the first. */
export interface EngineCase {
  readonly fires: Files;
  readonly silent: Files;
  /** Options of the command, each after a blank. */
  readonly flags: string;
  readonly silentFlags: string;
  /** What is so though no file says it; empty where the files alone are told of it. */
  readonly note: string;
  readonly silentNote: string;
  readonly told: Diagnostic;
}

export function megatronCase(rule: Rule): EngineCase {
  const { base, fires, silent, gone, diagnostic } = rule;
  const asked = exampleLaunch(base, fires);
  const release = knownVersions.find((version) => gone === undefined || below(version, gone));
  const engines = gone === undefined || release === undefined ? {} : { engines: new Map([["megatron", release]]) };
  const calm = exampleLaunch(base, silent);
  const on = ({ architecture }: ExampleLaunch): Given => ({ ...engines, gpu: cards[architecture] ?? null });
  const files = { fires: script(asked), silent: script(calm) };
  const named = /\bARCHITECTURE=/.test(`${fires} ${silent}`);
  const cardsSaid = { fires: on(asked), silent: on(calm) };
  const ways = named ? [cardsSaid] : [{ fires: engines, silent: engines }, cardsSaid];
  const seen = firstTold(files, ways, diagnostic.code);
  if (seen !== null) return seen;
  // The job asks what is installed where it runs.
  const { runs } = launchOf(files.fires);
  const run = runs[0];
  const judgement = {
    findings: tryExample(base, fires, gone).judgement.findings.filter((found) => found.rule === rule),
  };
  if (run?.program == null) throw new Error(`${diagnostic.code} has no program in its example`);
  const line = parseCommandLine(run.args, argumentTable(asked.entry, release));
  const places = new Map([...run.command.env].map(([name, { span }]) => [name, span]));
  const [told] = diagnosticsOfMegatron(line, judgement, { program: run.program.span, env: places });
  if (told === undefined) throw new Error(`${diagnostic.code} is not told of its example`);
  const notes = { note: installed(asked), silentNote: installed(calm) };
  return { ...files, flags: "", silentFlags: "", ...notes, told };
}

const installed = ({ transformerEngine: version }: ExampleLaunch): string =>
  unsaid(
    version === null
      ? "Where Transformer Engine is not installed"
      : `Where Transformer Engine ${version} is installed`,
  );

const cards: Readonly<Record<string, string>> = { "7.0": "V100", "8.0": "A100", "9.0": "H100", "10.0": "B200" };

function script({ entry, argv, env, world }: ExampleLaunch): Files {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  const command = [`torchrun --nproc_per_node ${world} ${entryProgram(entry) ?? ""}`, ...linesOf(argv)];
  return { "train.sh": `${variables.join("")}${command.join(" \\\n  ")}\n` };
}

/** Options with their values, as many as a line takes. What is given again replaces what stood before, as it does when it is read. */
function linesOf(argv: readonly string[]): readonly string[] {
  const options = new Map<string, string>();
  let name = "";
  for (const word of argv) {
    if (word.startsWith("--")) {
      name = word;
      options.delete(name);
    }
    options.set(name, word === name ? word : `${options.get(name) ?? ""} ${quoted(word)}`);
  }
  const lines: string[] = [];
  for (const option of options.values()) {
    const last = lines.at(-1);
    if (last === undefined || last.length + option.length > 96) lines.push(option);
    else lines[lines.length - 1] = `${last} ${option}`;
  }
  return lines;
}

const quoted = (word: string): string => (/^[\w.,:/=+@%-]+$/.test(word) ? word : `'${word}'`);

export function deepspeedCase({ fires, silent, diagnostic }: Demand): EngineCase {
  const alone = { fires: configuration(fires), silent: configuration(silent) };
  const started = { fires: { ...alone.fires, ...starter }, silent: { ...alone.silent, ...starter } };
  const seen = firstTold(alone, bare, diagnostic.code) ?? firstTold(started, bare, diagnostic.code);
  if (seen !== null) return seen;
  const finding = tryConfiguration(fires).findings.find((found) => found.diagnostic === diagnostic);
  const root = launchOf(started.fires).documents[0]?.root;
  if (finding === undefined || root === undefined) throw new Error(`${diagnostic.code} is not told of its example`);
  const notes = { note: programOf(fires), silentNote: programOf(silent) };
  return { ...started, flags: "", silentFlags: "", ...notes, told: diagnosticOf(finding, root) };
}

const bare = [{ fires: {}, silent: {} }];

const starter = { "train.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds_config.json\n" };

const configuration = (example: Example): Files => ({
  "ds_config.json": `${JSON.stringify(exampleConfig(example), null, 2)}\n`,
});

/** What an example says of the program and its machine. */
function programOf(example: Example): string {
  const { $model: model, $client: client, $without: without, $accelerator: accelerator } = example;
  const [form, size] = String(model ?? "").split(":");
  const none = Array.isArray(without) && without.includes("optimizer");
  const parts = [
    ...(form === "pipeline" ? [`train.py makes a pipeline of ${size} stages`] : []),
    ...(form === "moe" ? [`train.py spreads experts over ${size} ranks`] : []),
    ...(client === undefined ? [] : [`train.py brings ${String(client)} as its own optimizer`]),
    ...(none && client === undefined ? ["train.py brings no optimizer"] : []),
    ...(accelerator === undefined ? [] : [`the machine has ${accelerator === "cpu" ? "no GPU" : "GPUs"}`]),
  ];
  return parts.length === 0 ? "" : unsaid(`Where ${parts.join(" and ")}`);
}

const unsaid = (what: string): string => `${what}, which no file says:`;

function launchOf(files: Files): Launch {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  return checkForeign(sources, { world: null, gpusPerNode: null, gpu: null }, () => undefined).launch;
}

/** The first of several commands that tells of a rule where it is broken, and is silent where it is not. */
function firstTold(
  files: Pick<EngineCase, "fires" | "silent">,
  ways: readonly { readonly fires: Given; readonly silent: Given }[],
  code: string,
): EngineCase | null {
  const of = (diagnostic: Diagnostic): boolean => diagnostic.code === code;
  for (const way of ways) {
    const told = toldOf(files.fires, way.fires).find(of);
    if (told === undefined || toldOf(files.silent, way.silent).some(of)) continue;
    const flags = { flags: flagsOf(way.fires), silentFlags: flagsOf(way.silent) };
    return { ...files, ...flags, note: "", silentNote: "", told };
  }
  return null;
}

export function flagsOf({ world, gpusPerNode, gpu, engines }: Given): string {
  const named = [
    ...[...(engines ?? [])].map(([engine, version]) => ["engine", `${engine}=${version}`]),
    ...Object.entries({ world, "gpus-per-node": gpusPerNode, gpu }),
  ];
  return named.flatMap(([name, value]) => (value == null ? [] : [` --${name} ${value}`])).join("");
}
