/** Which fields the configuration of Megatron Bridge has. */
import type { StageStep } from "../../../pipeline.ts";
import bridge031 from "../versions/bridge-0.3.1.json" with { type: "json" };

export interface Section {
  /** The dataclass. */
  readonly target: string;
  /** Its fields with what they are without a word; `null` for none, and for what no text says. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

/** Models and data sets come as several classes, of which a configuration holds one. */
export type SectionName = keyof (typeof bridge031)["sections"];

export interface BridgeFields {
  readonly version: string;
  readonly sections: Readonly<Record<SectionName, Section>>;
}

/** The newest first. Made by scripts/bridge-version.py from the wheel. */
const known: readonly BridgeFields[] = [bridge031];

export const bridgeVersions: readonly string[] = known.map(({ version }) => version);

/** Of a version such as `0.3`, or of the newest; `null` for one that nobody knows. */
export function bridgeFields(written: string | null): BridgeFields | null {
  if (written === null) return known[0] ?? null;
  return known.find(({ version }) => version === written || version.startsWith(`${written}.`)) ?? null;
}

/** Those that a stage is held against; `null` where it starts Megatron's own programs. */
export function bridgeOf({ megatron: { entry, version } }: StageStep): BridgeFields | null {
  return entry === undefined ? null : (bridgeFields(version?.value ?? null) ?? bridgeFields(null));
}
