/** When an argument came or went, seen from one version: for what a parser does not know. */
import { argumentTable, knownVersions } from "./table.ts";

export function historyOf(name: string, version: string): string | null {
  const at = knownVersions.indexOf(version);
  const has = (each: string): boolean => argumentTable("gpt", each).byName.has(name);
  const newer = cameWith(name, version);
  if (newer !== null) return `it came with ${newer}`;
  const older = knownVersions.findIndex((each, index) => index > at && has(each));
  return older < 0 ? null : `it went with ${release(knownVersions[older - 1] ?? version)}`;
}

/** The first release after this one that has it. */
export function cameWith(name: string, version: string): string | null {
  const newer = knownVersions
    .slice(0, knownVersions.indexOf(version))
    .findLast((each) => argumentTable("gpt", each).byName.has(name));
  return newer === undefined ? null : release(newer);
}

const release = (version: string): string => version.split(".").slice(0, 2).join(".");
