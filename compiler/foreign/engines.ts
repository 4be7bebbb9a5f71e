/** Which release of an engine judges a launch: the one that its files or the command line name, or else the newest known. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../dsl/source/source.ts";
import { foreignEngineVersion } from "../diagnostics/foreign.ts";
import { lastOfEach, newest as newestDeepSpeed, oldest as oldestDeepSpeed } from "../engines/deepspeed/versions.ts";
import { knownVersionOf, knownVersions } from "../engines/megatron/table.ts";
import { below } from "../engines/release.ts";
import { documentsOf, type Launch, type Supplied } from "./launch.ts";
import { isMegatron } from "./megatron.ts";
import { packagesOf } from "./known/packages.ts";
import { newestAdmitted, withEarlier } from "./known/specifiers.ts";

export type EngineName = "megatron" | "deepspeed";

export interface JudgedBy {
  readonly engine: EngineName;
  /** The release whose data are asked. */
  readonly version: string;
  /** As it is written; `null` where nobody names one. */
  readonly written: string | null;
  /** Where a file names it. */
  readonly span: Span | null;
}

interface Named {
  readonly written: string;
  readonly span: Span | null;
}

export function enginesOf(launch: Launch): readonly JudgedBy[] {
  const used: readonly EngineName[] = [
    ...(launch.runs.some(isMegatron) ? (["megatron"] as const) : []),
    ...(documentsOf(launch, "deepspeed").length > 0 ? (["deepspeed"] as const) : []),
  ];
  return used.map((engine) => {
    const named = namedBy(engine, launch);
    const version = named === null ? newestOf[engine] : closestOf[engine](named.written);
    return { engine, version, written: named?.written ?? null, span: named?.span ?? null };
  });
}

/** A release that nothing is known of is judged by the nearest one that is, and that is said. */
export function versionDiagnostics(engines: readonly JudgedBy[], launch: Launch): readonly Diagnostic[] {
  return engines.flatMap(({ engine, version, written, span }) => {
    const place = span ?? launch.runs[0]?.command.span ?? launch.documents[0]?.root.span;
    if (written === null || place === undefined || isKnown[engine](written)) return [];
    const at = span ?? { ...place, end: Math.min(place.end, place.start + 1) };
    return [foreignEngineVersion(at, { engine: titles[engine], written, version })];
  });
}

const titles: Readonly<Record<EngineName, string>> = { megatron: "Megatron", deepspeed: "DeepSpeed" };

const newestMegatron = knownVersions[0] ?? "";
const oldestMegatron = knownVersions.at(-1) ?? "";
const newestOf: Readonly<Record<EngineName, string>> = { megatron: newestMegatron, deepspeed: newestDeepSpeed };

const releasesOf: Readonly<Record<EngineName, readonly string[]>> = {
  megatron: knownVersions.flatMap(withEarlier),
  deepspeed: lastOfEach.flatMap(withEarlier),
};

const closestOf: Readonly<Record<EngineName, (written: string) => string>> = {
  megatron: (written) =>
    knownVersionOf(written) ?? (below(written, oldestMegatron) ? oldestMegatron : newestMegatron),
  deepspeed: (written) =>
    below(written, oldestDeepSpeed) ? oldestDeepSpeed : below(newestDeepSpeed, written) ? newestDeepSpeed : written,
};

const isKnown: Readonly<Record<EngineName, (written: string) => boolean>> = {
  megatron: (written) => knownVersionOf(written) !== null,
  deepspeed: (written) => !below(written, oldestDeepSpeed) && !below(newestDeepSpeed, written),
};

function namedBy(engine: EngineName, launch: Launch): Named | null {
  const supplied = suppliedOf(launch.supplied, engine);
  if (supplied !== null) return { written: supplied, span: null };
  const installed = packagesOf(launch).get(engine === "megatron" ? "megatron-core" : "deepspeed");
  const admitted =
    installed?.specifier === undefined ? null : newestAdmitted(installed.specifier, releasesOf[engine]);
  if (installed?.specifier !== undefined && !/^={1,3}[^*,]*$/.test(installed.specifier) && admitted !== null)
    return admitted === newestOf[engine] ? null : { written: admitted, span: installed.span };
  if (installed?.version != null && /^\d+\.\d+/.test(installed.version))
    return { written: installed.version.replace(/[+*].*$/, "").replace(/\.$/, ""), span: installed.span };
  return engine === "megatron" ? checkedOut(launch) : null;
}

const suppliedOf = ({ engines }: Supplied, engine: EngineName): string | null => engines?.get(engine) ?? null;

/** `git clone -b core_v0.12.0 …/Megatron-LM`, `git checkout core_r0.12.0`. */
function checkedOut({ scripts }: Launch): Named | null {
  for (const { commands } of scripts)
    for (const { words } of commands) {
      if (words[0]?.text !== "git") continue;
      for (const { text, span } of words) {
        const release = /^(?:tags\/|origin\/)?core_[rv](\d+\.\d+(?:\.\d+)?)$/.exec(text ?? "")?.[1];
        if (release !== undefined) return { written: release, span };
      }
    }
  return null;
}
