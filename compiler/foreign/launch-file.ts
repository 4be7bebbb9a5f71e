/** Which files of a folder say by themselves how something is trained. */
import type { Source } from "../../dsl/source/source.ts";
import type { Launch } from "./launch.ts";
import { isStart } from "./starts.ts";
import { readJson } from "./documents/json.ts";
import { scalarOf, at, type Located } from "./documents/located.ts";
import { type DocumentKind } from "./documents/kinds.ts";
import { isTemplate, looksLikeJson, looksLikeShell, looksLikeToml, otherShell } from "./documents/languages.ts";
import { recognised, recognisedToml, surely } from "./documents/recognise.ts";
import { readToml } from "./documents/toml.ts";
import { readYaml } from "./documents/yaml.ts";
import { textOf } from "./shell/text.ts";

/** `null` for what is no part of a launch, or only beside the files that it belongs to. */
export type Role = "script" | "configuration" | null;

/** They say what is trained, and nothing of how. */
const companions: ReadonlySet<DocumentKind> = new Set(["model", "tokenizer", "fsdp"]);
/** Manifests of anything that may run to an end; those of services are nobody's training. */
const jobs = /^(?:PyTorchJob|TrainJob|JobSet|MPIJob|Job)$/;

export function roleOf(source: Source, isScriptOrNothing: boolean): Role {
  const { text } = source;
  if (text.trim() === "" || text.includes("\0") || otherShell(source) !== null) return null;
  if (isScriptOrNothing)
    return /^#!|^#SBATCH\b/m.test(text.slice(0, 4096)) && looksLikeShell(source) ? "script" : null;
  if (/\.(?:[bkz]?a?sh|sbatch|slurm)$/.test(source.path)) return "script";
  if (isTemplate(source)) return null;
  return rootsOf(source).some(isConfiguration) ? "configuration" : null;
}

type Recognised = readonly [root: Located, kind: DocumentKind | null];

function isConfiguration([root, kind]: Recognised): boolean {
  if (kind === null || companions.has(kind)) return false;
  if (kind === "kubernetes") return jobs.test(String(scalarOf(at(root, "kind"))));
  return surely(root, kind);
}

function rootsOf(source: Source): readonly Recognised[] {
  if (looksLikeToml(source)) {
    const { root } = readToml(textOf(source));
    return root === undefined ? [] : [[root, recognisedToml(root)]];
  }
  if (looksLikeJson(source)) {
    const { root } = readJson(textOf(source));
    return root === undefined ? [] : [[root, recognised(root)]];
  }
  return readYaml(textOf(source)).documents.map((root) => [root, recognised(root)]);
}

/** Does a script start a training, or ask Slurm for something? Helpers that do neither are judged where they are called. */
export const startsSomething = ({ runs, scripts }: Launch): boolean =>
  runs.some(isStart) || scripts.some(({ directives }) => directives.size > 0);
