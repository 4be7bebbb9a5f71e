/**
 * What a configuration means to another release than the newest known: keys that came later, those that went since, and demands that
 * only a later one makes. `demands.json` has those that the configuration itself makes: each release's own classes were given the
 * examples of every rule. What is demanded while the engine is built is held against older ones as well.
 */
import { deepspeedIgnored, deepspeedKey } from "../../diagnostics/deepspeed.ts";
import { below } from "../release.ts";
import type { Finding } from "./check.ts";
import { isSection, type Section } from "./value.ts";
import demanded from "./demands.json" with { type: "json" };
import history from "./versions.json" with { type: "json" };
import { inTable } from "../../../dsl/in-table.ts";

const came: Readonly<Record<string, string>> = history.came;
const went: Readonly<Record<string, string>> = history.went;
const closed: Readonly<Record<string, string>> = history.closed;

const since: Readonly<Record<string, string>> = demanded.since;

/** The first release that makes a demand; `null` where every known one does. */
export const demandedSince = (code: string): string | null => inTable(since, code) ?? null;

export const newest: string = history.newest;
/** Keys of earlier releases are those of this one. */
export const oldest: string = history.first;

/** The last release of each series that is known. */
export const lastOfEach: readonly string[] = history.last;

/** What judges where a version is named: `0.16` means the last release that begins so. `null` where nothing is known of it. */
export function knownReleaseOf(written: string): string | null {
  const parts = /^\d+\.\d+(\.\d+)?$/.exec(written);
  if (parts === null) return null;
  if (parts[1] === undefined && newest.startsWith(`${written}.`)) return newest;
  const last = parts[1] === undefined ? `${written}.${Number.MAX_SAFE_INTEGER}` : written;
  return below(last, oldest) || below(newest, last) ? null : last;
}

/** Keys of a configuration that came after a release. */
export interface Late {
  readonly path: string;
  readonly came: string;
}

export const lateIn = (release: string, config: Section): readonly Late[] => lateBelow(release, config, "");

/** Was a key that is gone today still read by a release? */
export const wasRead = (release: string, path: string): boolean => below(release, inTable(went, path) ?? oldest);

/** Findings as the release has them; those of the newest are given. */
export function findingsOf(release: string, config: Section, findings: readonly Finding[]): readonly Finding[] {
  if (!below(release, newest)) return findings;
  const late = lateIn(release, config).map((each) => lateFinding(release, each));
  const kept = findings.flatMap((finding): readonly Finding[] => {
    const { path, remark, diagnostic } = finding;
    if (below(release, since[diagnostic.code] ?? oldest)) return [];
    if (path === "optimizer.type" && below(release, optimizerWent(config) ?? oldest)) return [];
    // Before a section had a class its values were taken as they were.
    if ((remark === "value" || remark === "shape") && below(release, closed[sectionOf(path)] ?? oldest)) return [];
    if (late.some((each) => path === each.path || path.startsWith(`${each.path}.`))) return [];
    if (remark !== "extra" && remark !== "removed" && remark !== "ignored") return [finding];
    if (below(release, inTable(went, path) ?? oldest)) return [];
    const section = sectionOf(path);
    // What a class refuses today was passed over before there was one.
    return remark === "extra" && below(release, closed[section] ?? oldest) ? [passedOver(finding)] : [finding];
  });
  return [...kept, ...late];
}

/** Optimizers that compress gradients (runtime/engine.py: _configure_basic_optimizer), in any case of letters. */
const compressing: ReadonlySet<string> = new Set(["onebitadam", "zerooneadam", "onebitlamb"]);

function optimizerWent(config: Section): string | null {
  const section = config.get("optimizer");
  const type = isSection(section) ? section.get("type") : undefined;
  return typeof type === "string" && compressing.has(type.toLowerCase()) ? "0.19.8" : null;
}

const sectionOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")));

function lateBelow(release: string, section: Section, prefix: string): readonly Late[] {
  return [...section].flatMap(([name, value]): readonly Late[] => {
    const path = `${prefix}${name}`;
    const since = inTable(came, path);
    if (since !== undefined && below(release, since)) return [{ path, came: since }];
    return isSection(value) ? lateBelow(release, value, `${path}.`) : [];
  });
}

function lateFinding(release: string, { path, came: since }: Late): Finding {
  const section = sectionOf(path);
  const isRefused = closed[section] !== undefined && !below(release, closed[section]);
  return {
    diagnostic: isRefused ? deepspeedKey : deepspeedIgnored,
    message: isRefused
      ? `DeepSpeed ${release} refuses ${path}: it came with ${since}`
      : `DeepSpeed ${release} does not read ${path}: it came with ${since}`,
    path,
    related: [],
    valid: [],
    nearest: null,
    phase: "config",
    remark: isRefused ? "extra" : "ignored",
  };
}

function passedOver(finding: Finding): Finding {
  const best = finding.nearest === null ? "" : `; did you mean ${finding.nearest}?`;
  return {
    ...finding,
    diagnostic: deepspeedIgnored,
    message: `nothing reads ${finding.path}${best}`,
    remark: "ignored",
  };
}
