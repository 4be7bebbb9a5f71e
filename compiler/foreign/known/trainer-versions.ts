/**
 * What came and went with the releases of transformers, accelerate and torch; scripts/trainer-versions.py reads it off their wheels. The
 * first releases that are known are 4.20, 0.12 and 1.13.
 */
import type { Span } from "../../../dsl/source/source.ts";
import { inTable } from "../../../dsl/in-table.ts";
import { below } from "../../engines/release.ts";
import type { Launch } from "../launch.ts";
import { packagesOf } from "./packages.ts";
import { newestAdmitted, withEarlier } from "./specifiers.ts";
import versions from "./trainer-versions.json" with { type: "json" };

export interface Changes {
  /** Names by the first release that has them, where that is not the first known. */
  readonly came: Readonly<Record<string, string>>;
  /** By the first release that has them no more. */
  readonly went: Readonly<Record<string, string>>;
}

const { arguments: ofTrainer, fsdp, optim, lr_scheduler_type, save_strategy, hub_strategy } = versions.transformers;

export const trainerChanges: Changes = ofTrainer;

/** Keys that it asks `fsdp_config` for. */
export const fsdpChanges: Changes = fsdp;

/** Words of the Trainer's lists. */
export const trainerWords: Readonly<Record<string, Changes>> = {
  optim,
  lr_scheduler_type,
  save_strategy,
  hub_strategy,
};

/** Options of `accelerate launch`, keys of its file, and what it reads in that file's sections. */
export const accelerateChanges: Readonly<Record<"launch" | "file" | "read", Changes>> = versions.accelerate;

/** Options of torchrun, as they are spelt. */
export const torchrunChanges: Changes = versions.torch.torchrun;

export interface Pinned {
  readonly version: string;
  readonly span: Span;
}

/** The release that the files of a launch install; `null` where they name none, or leave it open to the newest. */
export function pinnedRelease(launch: Launch, name: keyof typeof versions): Pinned | null {
  const own = packagesOf(launch).get(name);
  if (own === undefined) return null;
  const { span, specifier } = own;
  if (own.version !== null) return /^\d+\.\d/.test(own.version) ? { version: own.version, span } : null;
  const { last } = versions[name];
  const version = specifier === undefined ? null : newestAdmitted(specifier, last.flatMap(withEarlier));
  return version === null || version === last.at(-1) ? null : { version, span };
}

/** Why a release does not have a name that another one has; `null` where it may have it. */
export function missingIn(
  { came, went }: Changes,
  name: string,
  version: string,
): { readonly came: string } | { readonly went: string } | null {
  const [since, until] = [inTable(came, name), inTable(went, name)];
  if (since !== undefined && below(version, since)) return { came: since };
  return until !== undefined && !below(version, until) ? { went: until } : null;
}
