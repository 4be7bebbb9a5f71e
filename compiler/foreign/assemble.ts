import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../dsl/source/source.ts";
import { foreignKind, foreignUnreadable, foreignYamlSize } from "../diagnostics/foreign.ts";
import { besideIn, besideOf, type Beside, type Read } from "./beside.ts";
import { mountedFiles } from "./kubernetes/config-maps.ts";
import { containerScripts, podEnvironment } from "./kubernetes/containers.ts";
import { readJson } from "./documents/json.ts";
import { jsonDiagnostics, type Reading } from "./documents/json-readers.ts";
import { listingOf } from "./documents/listing.ts";
import type { Document, Launch, Listing, Supplied, World } from "./launch.ts";
import { at, type Located } from "./documents/located.ts";
import { namedGpu } from "./known/named-gpus.ts";
import { filesBeside, namedByAccelerate, namedByDeepSpeed, namedByDocument } from "./documents/named-documents.ts";
import { podWorld } from "./kubernetes/pods.ts";
import { documentKinds, kindNames } from "./documents/kinds.ts";
import { isTemplate, looksLikeJson, looksLikeShell, looksLikeToml, otherShell } from "./documents/languages.ts";
import { recognised, recognisedToml } from "./documents/recognise.ts";
import { runsOf } from "./commands/runs.ts";
import { scriptOfContainer, scriptsFrom } from "./commands/scripts.ts";
import { allWays, type Choices } from "./shell/choices.ts";
import { readIn } from "./shell/folder.ts";
import type { Exported } from "./shell/reading.ts";
import { textOf, type Text } from "./shell/text.ts";
import { mainRun } from "./starts.ts";
import { skyScripts } from "./commands/sky.ts";
import type { Settings } from "./settings.ts";
import { inlineOf, isBroken } from "./trainer/inline.ts";
import { accelerateSettings, trainerSettings } from "./trainer/settings.ts";
import { projectPackages } from "./documents/project.ts";
import { readToml } from "./documents/toml.ts";
import { worldOf, worldOfAccelerate } from "./world.ts";
import { addWritten } from "./documents/written-documents.ts";
import { readYaml } from "./documents/yaml.ts";
import { refusedTwice } from "./documents/yaml-readers.ts";

export interface Assembled {
  readonly launch: Launch;
  readonly diagnostics: readonly Diagnostic[];
  /** What each file was taken for. */
  readonly kinds: readonly { readonly path: string; readonly kind: string }[];
}

/** Larger files are data, and are not read: the longest launch script known has 60 kB. */
export const largest = 4_000_000;
const largestScript = 1_000_000;

const isNothing = (root: Located): boolean => root.kind === "scalar" && root.value === null;

/** Letters of two bytes, of which one is nothing, read as UTF-8: every other one, where a program has zeros in rows. */
function isWide(text: string): boolean {
  const head = [...text.slice(0, 400)].filter((letter) => letter !== "\uFFFD");
  const zeros = (rest: number): number => head.filter((letter, at) => letter === "\0" && at % 2 === rest).length;
  const [most, least] = [Math.max(zeros(0), zeros(1)), Math.min(zeros(0), zeros(1))];
  return head.length > 8 && most > 0.4 * head.length && least < 0.1 * head.length;
}

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

  const addDocuments = (
    path: string,
    source: Source,
    roots: readonly Located[],
    spanless: boolean,
    kindOf = recognised,
  ): void => {
    const [only] = roots;
    if (!spanless && only !== undefined && roots.every(isNothing))
      diagnostics.push(foreignUnreadable(only.span, { why: "it contains nothing but null" }));
    for (const root of roots) {
      if (isNothing(root)) continue;
      const kind = kindOf(root);
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

  const readings: Reading[] = [];
  const addJson = (path: string, text: Text, source: Source, spanless = false): void => {
    const read = readJson(text);
    readings.push({ path, source, read });
    if (read.root !== undefined)
      addDocuments(path, source, [read.root], spanless || read.diagnosticsFor(null).length > 0);
  };

  for (const source of files) {
    const first = { source, start: 0, end: Math.min(1, source.text.length) };
    if (source.text.length > largest) {
      const size = `it has ${Math.round(source.text.length / 1e6)} MB`;
      diagnostics.push(foreignUnreadable(first, { why: size }));
    } else if (source.text.includes("\0") || source.text.includes("\uFFFD"))
      diagnostics.push(
        foreignUnreadable(first, { why: isWide(source.text) ? "it is UTF-16: save it as UTF-8" : "it is not text" }),
      );
    else if (otherShell(source) !== null) {
      const why = `it is a script for ${otherShell(source)}: only bash, sh, dash, ksh and zsh are read`;
      diagnostics.push(foreignUnreadable(first, { why }));
    } else if (source.text.trim() === "") diagnostics.push(foreignUnreadable(first, { why: "it is empty" }));
    else if (looksLikeToml(source)) {
      const { root, diagnostics: found } = readToml(textOf(source));
      diagnostics.push(...found);
      const packages = root === undefined ? null : projectPackages(root);
      if (packages !== null) {
        listings.push({ kind: "requirements", source, lines: packages });
        kinds.push({ path: source.path, kind: kindNames.requirements });
      } else if (root !== undefined) addDocuments(source.path, source, [root], false, recognisedToml);
    } else if (isTemplate(source) && !looksLikeShell(source))
      diagnostics.push(
        foreignUnreadable(
          first,
          { why: "it is a template whose values Helm fills in: check the output of `helm template`" },
          { severity: "info" },
        ),
      );
    else if (looksLikeJson(source)) addJson(source.path, textOf(source), source);
    else if (looksLikeShell(source) && source.text.length > largestScript)
      diagnostics.push(foreignUnreadable(first, { why: "no script that starts a launch is over a megabyte" }));
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

  // A script of the same name in another folder is another script, unless nobody can look there.
  const scriptOf = (path: string, from: Source): Source | undefined => {
    const found = read(path, from);
    const isFar = path.replace(/^(?:\.\/)+/, "").includes("/");
    return (
      shells.find((source) => source.path === (found?.path ?? path)) ??
      found ??
      shells.find((source) => baseName(source.path) === baseName(path) && (source.path !== from.path || !isFar))
    );
  };
  const environment: Exported = containers ? podEnvironment(documents) : new Map();
  const all = [
    ...shells.flatMap((source) => scriptsFrom(source, environment, scriptOf, choices)),
    ...(containers ? containerScripts(documents, scriptOf, choices).map(scriptOfContainer) : []),
    ...skyScripts(documents, scriptOf, choices).map(scriptOfContainer),
  ];
  // A script that another one starts is read there, with what that one sets.
  const started = new Set(all.flatMap(({ sources }) => sources.map(({ path }) => path)));
  const scripts = all.filter(
    ({ script, isSubmitted }) => isSubmitted === true || !started.has(script.source.path) || all.length === 1,
  );
  const read_ = scripts.length > 0 ? scripts : all;
  const given = documents.length;
  for (const { script, diagnostics: found } of read_) {
    diagnostics.push(...found);
    for (const [path, text] of script.written)
      addWritten(path, text, script.source, { addDocuments, addJson, diagnostics });
  }
  // A manifest that a script writes starts what its containers say.
  const applied = containers
    ? containerScripts(documents.slice(given), scriptOf, choices).map(scriptOfContainer)
    : [];
  for (const { diagnostics: found } of applied) diagnostics.push(...found);
  const files_ = [...read_, ...applied].map(({ script }) => script);
  const runs = files_.flatMap((script) => runsOf(script, read));
  for (const { name, text, source } of containers ? mountedFiles(documents, runs) : [])
    addWritten(name, text, source, { addDocuments, addJson, diagnostics });
  for (const run of runs)
    for (const { name, read: json } of inlineOf(run)) {
      const { source } = run.script;
      readings.push({ path: "", source, read: json, reader: "json" });
      if (name === "deepspeed" && json.root?.kind === "map" && !isBroken(json))
        documents.push({ kind: "deepspeed", source, path: "", root: json.root, inside: run.command });
    }
  documents.push(...documents.flatMap(deepspeedInside));
  for (const source of filesBeside(runs.flatMap(namedByDeepSpeed), documents, { read, largest }))
    addJson(source.path, textOf(source), source, true);
  for (const named of documents.map(namedByDocument)) {
    const [source] = filesBeside(named, documents, { read, largest });
    if (source !== undefined) addJson(source.path, textOf(source), source, true);
  }
  for (const source of filesBeside(runs.flatMap(namedByAccelerate), documents, { read, largest })) {
    const { documents: roots, diagnostics: found } = readYaml(textOf(source));
    diagnostics.push(...found);
    addDocuments(source.path, source, roots, true);
  }
  for (const { launcher, command } of runs) {
    const told = launcher.settings.get("hostfile");
    const hosts = typeof told?.value === "string" ? told : undefined;
    if (hosts === undefined || listings.some(({ source }) => baseName(source.path) === baseName(String(hosts.value))))
      continue;
    const source = readIn(read, command.folder)(String(hosts.value), hosts.span.source);
    if (source !== undefined && source.text.length < largest) listings.push({ kind: "hostfile", source });
  }
  const accelerate = accelerateSettings(documents, runs);
  const first = mainRun(runs);
  const world =
    first === undefined
      ? worldOfFiles(documents, accelerate, supplied)
      : worldOf(first, accelerate, supplied, listings);
  const launch: Launch = {
    documents,
    listings,
    scripts: files_,
    runs,
    supplied: { ...supplied, gpu: supplied.gpu ?? namedGpu(documents, files_) },
    trainer: trainerSettings(documents, runs),
    accelerate,
    world,
    beside: besideIn(
      beside,
      runs.map(({ command }) => command.folder),
    ),
    submitted: beside,
  };
  // What a program of the launch is told to read needs no tool of its own.
  const own = diagnostics.filter(({ code, span }) => code !== foreignKind.code || !isNamed(runs, span.source.path));
  return { launch, diagnostics: [...refusedTwice(own, launch), ...jsonDiagnostics(readings, launch)], kinds };
}

/** transformers/training_args.py: `deepspeed` takes a file's name or what stands in it. */
function deepspeedInside(document: Document): readonly Document[] {
  const { kind, source, root } = document;
  const isTrainers = kind === "training-arguments" || kind === "llama-factory" || kind === "axolotl";
  const inner = isTrainers ? at(root, "deepspeed") : undefined;
  return inner?.kind === "map" ? [{ kind: "deepspeed", source, path: "", root: inner, inside: document }] : [];
}

/** Without a script, manifests and what accelerate is told say how many ranks there are. */
function worldOfFiles(documents: readonly Document[], accelerate: Settings | null, supplied: Supplied): World {
  const pods = podWorld({ documents });
  if (pods === null && accelerate !== null) return worldOfAccelerate(accelerate, supplied, null);
  const size = supplied.world ?? (pods === null ? null : pods.nodes * pods.perNode);
  return { size, nodes: pods?.nodes ?? null, perNode: supplied.gpusPerNode ?? pods?.perNode ?? null, said: [] };
}

function keysOf(root: Located & { readonly kind: "map" }): string {
  const keys = root.entries.slice(0, 4).map(({ key }) => `\`${key}\``);
  return keys.length === 0
    ? "it has no keys"
    : `its keys are ${keys.join(", ")}${root.entries.length > 4 ? ", …" : ""}`;
}

function isNamed(runs: Launch["runs"], path: string): boolean {
  const name = baseName(path);
  return runs.some(({ args }) =>
    args.some(({ text }) => text !== null && baseName(text.slice(text.indexOf("=") + 1)) === name),
  );
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
