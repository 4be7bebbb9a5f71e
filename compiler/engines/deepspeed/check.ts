import type { Definition } from "../../../dsl/diagnostics/diagnostic.ts";
import {
  deepspeedBoth,
  deepspeedDeprecated,
  deepspeedDropped,
  deepspeedIgnored,
  deepspeedKey,
  deepspeedNoEffect,
  deepspeedRemoved,
  deepspeedShape,
  deepspeedValue,
} from "../../diagnostics/deepspeed.ts";
import { distance } from "fastest-levenshtein";
import { nearest } from "../../../dsl/diagnostics/nearest.ts";
import { demands } from "./demands/index.ts";
import type { Remark } from "./finding.ts";
import { hostOf, type Host, type Launch } from "./launch.ts";
import { settingsOf } from "./settings.ts";
import type { Demand, Phase } from "./step.ts";
import { Undecided } from "./unknown.ts";
import { version } from "./table.ts";
import { withoutEffect } from "./no-effect.ts";
import { reportKeys } from "./unread.ts";
import { isSection, textOf, type Section, type Value } from "./value.ts";

/** One thing to say of a configuration. */
export interface Finding {
  readonly diagnostic: Definition<{ readonly message: string }>;
  readonly message: string;
  /** Dotted; the key to change first. A key that isn't written stands for its nearest section. */
  readonly path: string;
  /** Other keys that it speaks of. */
  readonly related: readonly string[];
  readonly valid: readonly string[];
  /** Of a value that no run survives, what its key takes. */
  readonly wanted?: string;
  /** What a misspelt key should be. */
  readonly nearest: string | null;
  /** What takes the place of an old key, in words. */
  readonly use?: string;
  readonly phase: Phase;
  readonly remark: Remark["kind"] | "demand" | "overridden";
}

export interface Verdict {
  readonly findings: readonly Finding[];
  /** Demands that need something nobody knows before the start. */
  readonly undecided: readonly Demand[];
}

/** Holds a configuration against everything that DeepSpeed demands before the first step. */
export function checkDeepSpeed(config: Section, launch: Launch): Verdict {
  const remarks: Remark[] = [];
  const report = (remark: Remark): void => void remarks.push(remark);
  reportKeys(config, report);
  const settings = settingsOf(config, report);
  const removed = new Set(remarks.flatMap((each) => (each.kind === "removed" ? [each.path] : [])));
  const findings = remarks
    .filter((each) => each.kind !== "extra" || !removed.has(each.path))
    .map((each) => findingOf(each));

  const host = hostOf(launch);
  const undecided: Demand[] = [];
  for (const demand of demands) {
    try {
      const message = demand.check(settings, host);
      if (message !== null) findings.push(broken(demand, message, config, demand.blamed?.(settings, host) ?? null));
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      undecided.push(demand);
    }
  }
  return { findings: [...findings, ...hints(settings, config, host)], undecided };
}

function broken(demand: Demand, message: string, config: Section, blamed: string | null): Finding {
  const path = blamed ?? demand.about.find((each) => isWritten(config, each)) ?? demand.about[0] ?? "";
  const related = demand.about.filter((each) => each !== path && isWritten(config, each));
  return {
    diagnostic: demand.diagnostic,
    message,
    path,
    related,
    valid: demand.valid,
    ...(demand.wanted === undefined ? {} : { wanted: demand.wanted }),
    nearest: null,
    phase: demand.phase,
    remark: "demand",
  };
}

function isWritten(config: Section, path: string): boolean {
  return (
    path
      .split(".")
      .reduce<Value | undefined>((value, key) => (isSection(value) ? value.get(key) : undefined), config) !==
    undefined
  );
}

function hints(settings: ReturnType<typeof settingsOf>, config: Section, host: Host): Finding[] {
  return withoutEffect(settings, config, host).map(([path, why]) => ({
    diagnostic: deepspeedNoEffect,
    message: `${path} has no effect: ${why}`,
    path,
    related: [],
    valid: [],
    nearest: null,
    phase: "step",
    remark: "demand",
  }));
}

function findingOf(remark: Remark): Finding {
  const rest = {
    path: remark.path,
    related: [],
    valid: [] as readonly string[],
    nearest: null,
    phase: "config" as const,
    remark: remark.kind,
  };
  const key = remark.path;
  switch (remark.kind) {
    case "shape":
      return { ...rest, diagnostic: deepspeedShape, message: `${key} = ${textOf(remark.value)} is not a section` };
    case "extra": {
      const name = key.slice(key.lastIndexOf(".") + 1);
      const best = nearest(name, remark.valid);
      const valid = closestTo(name, remark.valid);
      const more = valid.length === remark.valid.length ? "" : `, but ${remark.valid.length} others`;
      const message = `the engine refuses ${key}: its section has no such key${more}${asked(best)}`;
      return { ...rest, diagnostic: deepspeedKey, message, valid, nearest: best };
    }
    case "value": {
      const message = `${key} = ${textOf(remark.value)} is not ${remark.wanted}`;
      return { ...rest, diagnostic: deepspeedValue, message, valid: remark.valid ?? [] };
    }
    case "removed":
      return {
        ...rest,
        diagnostic: deepspeedRemoved,
        message: `DeepSpeed ${version} refuses ${key}: ${remark.advice}`,
      };
    case "both":
      return {
        ...rest,
        diagnostic: deepspeedBoth,
        message: `${key} and ${remark.use} are both given: the first is the old name`,
        use: remark.use,
      };
    case "deprecated":
      return {
        ...rest,
        diagnostic: deepspeedDeprecated,
        message: `${key} is deprecated; use ${remark.use}`,
        use: remark.use,
      };
    case "dropped":
      return { ...rest, diagnostic: deepspeedDropped, message: `${key} = "auto" is dropped: the default applies` };
    case "ignored": {
      const why = remark.why === null ? asked(remark.nearest) : `: ${remark.why}`;
      return {
        ...rest,
        diagnostic: deepspeedIgnored,
        message: `nothing reads ${key}${why}`,
        nearest: remark.nearest,
      };
    }
  }
}

/** All of a short list; of a longer one those that look most like what is written. */
function closestTo(name: string, keys: readonly string[]): readonly string[] {
  if (keys.length <= longestList) return keys.toSorted();
  return keys.toSorted((a, b) => distance(name, a) - distance(name, b) || (a < b ? -1 : 1)).slice(0, 6);
}

const longestList = 12;

function asked(nearest: string | null): string {
  return nearest === null ? "" : `; did you mean ${nearest}?`;
}
