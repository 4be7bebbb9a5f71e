import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../dsl/source/source.ts";
import {
  foreignKind,
  foreignShellSyntax,
  foreignUnknown,
  foreignUnreadable,
  foreignYamlSize,
} from "../diagnostics/foreign.ts";
import { besideOf, type Beside, type Read } from "./beside.ts";
import { containerScripts, podEnvironment, type ContainerScript } from "./containers.ts";
import { directivesOf, sbatchSettings, slurmVariables } from "./directives.ts";
import { readJson } from "./json.ts";
import { listingOf } from "./listing.ts";
import type { Document, Launch, Listing, ScriptFile, Supplied, World } from "./launch.ts";
import type { Located } from "./located.ts";
import { podWorld } from "./pods.ts";
import { documentKinds, kindNames, looksLikeShell, otherShell, recognised } from "./recognise.ts";
import { runsOf } from "./runs.ts";
import { allWays, type Choices } from "./shell/choices.ts";
import { readText } from "./shell/read.ts";
import type { Exported } from "./shell/reading.ts";
import type { ShellCommand } from "./shell/state.ts";
import { hole, scriptText, textOf, type Text } from "./shell/text.ts";
import { isZsh } from "./shell/zsh.ts";
import { accelerateSettings, trainerSettings } from "./trainer-settings.ts";
import { worldOf } from "./world.ts";
import { readYaml } from "./yaml.ts";

export interface Assembled {
  readonly launch: Launch;
  readonly diagnostics: readonly Diagnostic[];
  /** What each file was taken for. */
  readonly kinds: readonly { readonly path: string; readonly kind: string }[];
}

/** Larger files are data; the longest launch script known has 60 kB. */
const largest = 4_000_000;
const largestScript = 1_000_000;

/** Reads files as one launch, with the commands of containers unless `containers` is false. `from` gives other files that they name. */
export function assemble(
  files: readonly Source[],
  supplied: Supplied,
  from: Read | Beside,
  { containers = true, choices = allWays }: { readonly containers?: boolean; readonly choices?: Choices } = {},
): Assembled {
  const beside = besideOf(from);
  const read = beside.text;
  const diagnostics: Diagnostic[] = [];
  const listings: Listing[] = [];
  const kinds: { path: string; kind: string }[] = [];
  const documents: Document[] = [];
  const shells: Source[] = [];

  const addDocuments = (path: string, source: Source, roots: readonly Located[], spanless: boolean): void => {
    for (const root of roots) {
      if (root.kind === "scalar" && root.value === null) continue;
      const kind = recognised(root);
      if (kind !== null) {
        documents.push({ kind, source, path, root });
        kinds.push({ path, kind: kindNames[kind] });
      } else if (!spanless) {
        const found = root.kind === "map" ? keysOf(root) : root.kind === "list" ? "a list" : "a single value";
        const valid = [kindNames.script, ...documentKinds.map((each) => kindNames[each])];
        diagnostics.push(
          foreignKind({ ...root.span, end: Math.min(root.span.end, root.span.start + 1) }, { found }, { valid }),
        );
      }
    }
  };

  for (const source of files) {
    const first = { source, start: 0, end: Math.min(1, source.text.length) };
    if (source.text.length > largest) {
      const size = `it has ${Math.round(source.text.length / 1e6)} MB`;
      diagnostics.push(foreignUnreadable(first, { why: size }));
    } else if (source.text.includes("\0") || source.text.includes("\uFFFD"))
      diagnostics.push(foreignUnreadable(first, { why: "it is not text" }));
    else if (otherShell(source) !== null) {
      const why = `it is a script of ${otherShell(source)}: only those of bash, sh, dash, ksh and zsh are read`;
      diagnostics.push(foreignUnreadable(first, { why }));
    } else if (source.text.trim() === "") diagnostics.push(foreignUnreadable(first, { why: "it is empty" }));
    else if (/^\s*[{[]/.test(source.text)) {
      const { root, diagnostics: found } = readJson(textOf(source));
      diagnostics.push(...found);
      if (root !== undefined) addDocuments(source.path, source, [root], found.length > 0);
    } else if (looksLikeShell(source) && source.text.length > largestScript)
      diagnostics.push(foreignUnreadable(first, { why: "no script that starts a launch has a megabyte" }));
    else if (looksLikeShell(source)) {
      shells.push(source);
      kinds.push({ path: source.path, kind: kindNames.script });
    } else if (listingOf(source) !== null) {
      listings.push({ kind: listingOf(source) ?? "hostfile", source });
      kinds.push({ path: source.path, kind: kindNames[listingOf(source) ?? "hostfile"] });
    } else {
      const { documents: roots, diagnostics: found } = readYaml(textOf(source));
      diagnostics.push(...found);
      // What aliases swell beyond bounds is no configuration, and is judged as none.
      if (!found.some(({ code }) => code === foreignYamlSize.code))
        addDocuments(source.path, source, roots, found.length > 0);
    }
  }

  const byPath = new Map(shells.map((source) => [source.path, source]));
  const scriptOf = (path: string, from: Source): Source | undefined =>
    [...byPath.values()].find((source) => source.path === path || baseName(source.path) === baseName(path)) ??
    read(path, from);
  const environment: Exported = containers ? podEnvironment(documents) : new Map();
  const all = [
    ...shells.flatMap((source) => scriptsFrom(source, environment, scriptOf, choices)),
    ...(containers ? containerScripts(documents, scriptOf, choices).map(scriptOfContainer) : []),
  ];
  // A script that another one starts is read there, with what that one sets.
  const started = new Set(all.flatMap(({ sources }) => sources.map(({ path }) => path)));
  const scripts = all.filter(({ script }) => !started.has(script.source.path) || all.length === 1);
  for (const { script, diagnostics: found } of scripts.length > 0 ? scripts : all) {
    diagnostics.push(...found);
    for (const [path, text] of script.written) addWritten(path, text, script.source, addDocuments, diagnostics);
  }
  const files_ = (scripts.length > 0 ? scripts : all).map(({ script }) => script);
  const runs = files_.flatMap((script) => runsOf(script, read));
  addNamed(
    runs.flatMap((run) => named(run.options, run.launcher.settings)),
    documents,
    read,
    (source) => {
      const { root, diagnostics: found } = readJson(textOf(source));
      diagnostics.push(...found);
      if (root !== undefined) addDocuments(source.path, source, [root], true);
    },
  );
  addNamed(
    runs.flatMap(({ launcher: { kind, settings } }) => {
      const told = kind === "accelerate" ? settings.get("config_file") : undefined;
      return typeof told?.value === "string" ? [{ path: told.value, from: told.span.source }] : [];
    }),
    documents,
    read,
    (source) => {
      const { documents: roots, diagnostics: found } = readYaml(textOf(source));
      diagnostics.push(...found);
      addDocuments(source.path, source, roots, true);
    },
  );
  for (const { launcher } of runs) {
    const told = launcher.settings.get("hostfile");
    const hosts = typeof told?.value === "string" ? told : undefined;
    if (hosts === undefined || listings.some(({ source }) => baseName(source.path) === baseName(String(hosts.value))))
      continue;
    const source = read(String(hosts.value), hosts.span.source);
    if (source !== undefined && source.text.length < largest) listings.push({ kind: "hostfile", source });
  }
  const accelerate = accelerateSettings(documents, runs);
  const first = runs.find(({ launcher }) => launcher.kind !== "other") ?? runs[0];
  const world = first === undefined ? worldOfPods(documents, supplied) : worldOf(first, accelerate, supplied);
  const launch: Launch = {
    documents,
    listings,
    scripts: files_,
    runs,
    supplied,
    trainer: trainerSettings(documents, runs),
    accelerate,
    world,
    beside,
  };
  return { launch, diagnostics, kinds };
}

/** Without a script, manifests alone say how many ranks there are. */
function worldOfPods(documents: readonly Document[], supplied: Supplied): World {
  const pods = podWorld({ documents });
  const size = supplied.world ?? (pods === null ? null : pods.nodes * pods.perNode);
  return { size, nodes: pods?.nodes ?? null, perNode: supplied.gpusPerNode ?? pods?.perNode ?? null, said: [] };
}

interface ReadScript {
  readonly script: ScriptFile;
  readonly diagnostics: readonly Diagnostic[];
  /** Other scripts that it starts. */
  readonly sources: readonly Source[];
}

/** A script, and the jobs that it submits as text: what `sbatch --wrap` runs has the options of its own sbatch. */
function scriptsFrom(...given: Parameters<typeof scriptFrom>): readonly ReadScript[] {
  const read = scriptFrom(...given);
  return [...byJob(read), ...writtenScripts(read, given[2], given[3])];
}

/** Scripts that a script writes: they have its options of Slurm where they have none of their own, and none of its variables. */
function writtenScripts({ script }: ReadScript, read: ReadScripts, choices: Choices): readonly ReadScript[] {
  return [...script.written].flatMap(([path, text]): readonly ReadScript[] => {
    if (!/^(?:#!.*sh\b|#SBATCH\s)/m.test(text.text) && !/\.(?:sh|bash|sbatch|slurm)$/.test(path)) return [];
    const { settings, late, strays } = directivesOf(text);
    const directives = settings.size > 0 ? settings : script.directives;
    const { commands, written, problems, sources, skipped } = readText(
      { text, path },
      slurmVariables(directives),
      new Map(),
      read,
      choices,
    );
    return [
      {
        script: { source: script.source, directives, late, strays, written, commands, skipped, pods: null },
        diagnostics: problemsOf(problems),
        sources,
      },
    ];
  });
}

type ReadScripts = (path: string, from: Source) => Source | undefined;

function byJob(read: ReadScript): readonly ReadScript[] {
  const submitted = Map.groupBy(read.script.commands, submitting);
  if (submitted.size === 1 && submitted.has(null)) return [read];
  const jobs = [...submitted].flatMap(([command, commands]): readonly ReadScript[] =>
    command === null
      ? []
      : [
          {
            script: {
              ...read.script,
              directives: sbatchSettings(command.words.slice(1)),
              late: [],
              strays: [],
              written: new Map(),
              commands,
              skipped: [],
            },
            diagnostics: [],
            sources: [],
          },
        ],
  );
  return [{ ...read, script: { ...read.script, commands: submitted.get(null) ?? [] } }, ...jobs];
}

/** The sbatch whose text a command stands in. */
function submitting({ outer }: ShellCommand): ShellCommand | null {
  if (outer === null) return null;
  return outer.words[0]?.text === "sbatch" ? outer : submitting(outer);
}

/** What a manifest beside a script sets, it sets for it, unless the script is one of Slurm. */
function scriptFrom(
  source: Source,
  environment: Exported,
  read: (path: string, from: Source) => Source | undefined,
  choices: Choices,
): ReadScript {
  const { settings, late, strays } = directivesOf(scriptText(source));
  const { commands, written, problems, sources, skipped } = readText(
    { text: scriptText(source), path: source.path },
    slurmVariables(settings),
    settings.size > 0 ? new Map() : environment,
    read,
    choices,
  );
  return {
    script: { source, directives: settings, late, strays, written, commands, skipped, pods: null },
    diagnostics: problemsOf(problems),
    sources,
  };
}

function scriptOfContainer({
  source,
  pods,
  commands,
  skipped,
  written,
  problems,
  sources,
}: ContainerScript): ReadScript {
  return {
    script: { source, directives: new Map(), late: [], strays: [], written, commands, skipped, pods },
    diagnostics: problemsOf(problems),
    sources,
  };
}

const problemsOf = (problems: ContainerScript["problems"]): readonly Diagnostic[] =>
  problems.slice(0, 10).map(({ message, span, fix }) => {
    const mend = fix ?? (/nesting/.test(message) ? "Nest less: no launch needs that many levels." : undefined);
    if (!isZsh(span.source))
      return foreignShellSyntax(span, { why: message }, mend === undefined ? {} : { fix: mend });
    // The parser is one of bash: what it cannot read may well be right.
    const because = "it is written for zsh alone";
    return foreignUnknown(span, { what: "what this says", because, advice: "Only what bash reads too is judged" });
  });

/** What a script writes with a here-document is read as the file it becomes. */
function addWritten(
  path: string,
  text: Text,
  source: Source,
  add: (path: string, source: Source, roots: readonly Located[], spanless: boolean) => void,
  diagnostics: Diagnostic[],
): void {
  if (path.endsWith(".json") || /^\s*\{/.test(text.text)) {
    // A variable that isn't known stands for a number.
    const known = { ...text, text: text.text.replaceAll(hole, "null".padEnd(hole.length)) };
    const { root, diagnostics: found } = readJson(known);
    diagnostics.push(...found);
    if (root !== undefined) add(path, source, [root], true);
  } else if (/\.ya?ml$/.test(path)) {
    const { documents, diagnostics: found } = readYaml(text);
    diagnostics.push(...found);
    add(path, source, documents, true);
  }
}

function named(
  ...settings: readonly ReadonlyMap<string, { readonly value: unknown; readonly span: { readonly source: Source } }>[]
) {
  return settings.flatMap((each) =>
    ["deepspeed", "deepspeed_config", "deepspeed_config_file"].flatMap((name) => {
      const told = each.get(name);
      return told !== undefined && typeof told.value === "string" && told.value.endsWith(".json")
        ? [{ path: told.value, from: told.span.source }]
        : [];
    }),
  );
}

/** A configuration that a command names and nobody gave, where it lies beside. */
function addNamed(
  names: readonly { readonly path: string; readonly from: Source }[],
  documents: readonly Document[],
  read: (path: string, from: Source) => Source | undefined,
  add: (source: Source) => void,
): void {
  const seen = new Set<string>();
  for (const { path, from } of names) {
    if (seen.has(path) || documents.some((each) => baseName(each.path) === baseName(path))) continue;
    seen.add(path);
    const source = read(path, from);
    if (source !== undefined && source.text.length < largest) add(source);
  }
}

function keysOf(root: Located & { readonly kind: "map" }): string {
  const keys = root.entries.slice(0, 4).map(({ key }) => `\`${key}\``);
  return keys.length === 0
    ? "it has no keys"
    : `its keys are ${keys.join(", ")}${root.entries.length > 4 ? ", …" : ""}`;
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
