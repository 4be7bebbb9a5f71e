/** Where to measure: a launch of a file, or this machine. */
import { availableParallelism, totalmem } from "node:os";
import { type Compilation, compile } from "../../compiler/compile.ts";
import { gpus } from "../../compiler/hardware/gpus.ts";
import type { LaunchSpec, StartedLaunch } from "../../compiler/pipeline.ts";
import { isStarted } from "../../runtime/run/compiled.ts";
import { errorsIn, type Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { compileFile, type FrontFlags, machine } from "../front.ts";
import { beforeStart } from "../before-start.ts";
import { withTriedFixes } from "../tried.ts";
import { gpusOf } from "../doctor/probe.ts";

export type Place =
  | { readonly kind: "place"; readonly launch: StartedLaunch }
  | { readonly kind: "misuse"; readonly message: string }
  | { readonly kind: "errors"; readonly diagnostics: readonly Diagnostic[] };

export async function placeOf(file: string | undefined, flags: FrontFlags, processes: number | null): Promise<Place> {
  if (file === undefined) return thisMachine(processes);
  const compiled = compileFile(file, flags);
  if ("misuse" in compiled) return { kind: "misuse", message: compiled.misuse };
  if (errorsIn(beforeStart(compiled.diagnostics)) > 0)
    return { kind: "errors", diagnostics: beforeStart(withTriedFixes(compiled)) };
  const { launch } = compiled.pipeline;
  if (!isStarted(launch)) return notStarted(launch);
  const cluster = processes === null ? launch.cluster : { ...launch.cluster, gpusPerNode: processes };
  return { kind: "place", launch: { ...launch, cluster } };
}

async function thisMachine(processes: number | null): Promise<Place> {
  const cards = await gpusOf();
  const cores = availableParallelism();
  const [card] = cards;
  const device = card === undefined ? "cpu" : knownCard(card.name);
  if (device === null) {
    return {
      kind: "misuse",
      message: `the library has no ${card?.name ?? ""}: declare it in a file, with a cluster and a launch on it, and name that file`,
    };
  }
  const count = processes ?? (card === undefined ? Math.min(2, cores) : cards.length);
  const text = `
import "std/gpus" { ${device} }
cluster this_machine {
  gpu = ${device}, link = ${card === undefined ? 5 : 32} GB/s
  node { gpus = ${count}, cpu = ${cores} cores, ram = ${Math.round(totalmem() / 2 ** 20)} MiB }
}
launch here on this_machine { target = local }
`;
  const { launch } = compilePlain(text).pipeline;
  return isStarted(launch) ? { kind: "place", launch } : notStarted(launch);
}

const notStarted = ({ name }: LaunchSpec): Place => ({
  kind: "misuse",
  message: `this version of cdrc starts nothing on Kubernetes, where launch ${name} is: name another with --on`,
});

/** A text of our own: it has no options and no mistakes. */
export function compilePlain(text: string, launch?: LaunchSpec): Compilation {
  const options = { on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] };
  const source = { path: "calibration.cdr", text };
  return compile(source, {
    ...options,
    read: () => undefined,
    ...machine,
    ...(launch === undefined ? {} : { launch }),
  });
}

/** `NVIDIA A100-SXM4-80GB` has every word of `a100_80gb`. */
function knownCard(name: string): string | null {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const fits = gpus.filter(({ name: known }) => known.split("_").every((word) => plain.includes(word)));
  return fits.sort((a, b) => b.name.length - a.name.length)[0]?.name ?? null;
}
