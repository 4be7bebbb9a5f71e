import type { Host } from "../launch.ts";
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { Undecided } from "../unknown.ts";
import { asNumber, textOf } from "../value.ts";

const demand = demandsOf("runtime/config.py: _set_batch_related_parameters, _batch_assertion", "config");
const total = "train_batch_size";
const micro = "train_micro_batch_size_per_gpu";
const steps = "gradient_accumulation_steps";

/** Ranks that see different samples: all, but for pipeline stages and sequence parallelism. */
export function dataRanks(settings: Settings, host: Host): number {
  const sequence = settings.config.get("sequence_parallel_size");
  const { model } = host;
  if (model.kind === "pipeline") return Math.floor(host.world / model.stages);
  if (sequence === undefined) return host.world;
  const size = asNumber(sequence);
  if (size === undefined || size === 0) throw new Undecided("sequence_parallel_size");
  return host.world / size;
}

interface Triangle {
  readonly total: number | null;
  readonly micro: number | null;
  readonly steps: number | null;
}

function given({ config }: Settings): Triangle {
  const read = (key: string): number | null => {
    const value = config.get(key) ?? null;
    const number = value === null ? null : asNumber(value);
    if (number === undefined) throw new Undecided(key);
    return number;
  };
  return { total: read(total), micro: read(micro), steps: read(steps) };
}

/** All three, the missing ones made from the others as the engine makes them. */
export function triangle(
  settings: Settings,
  host: Host,
): { total: number; micro: number; steps: number; ranks: number } {
  const t = given(settings);
  const ranks = dataRanks(settings, host);
  if (t.total !== null && t.micro !== null)
    return {
      total: t.total,
      micro: t.micro,
      steps: t.steps ?? Math.floor(Math.floor(t.total / t.micro) / ranks),
      ranks,
    };
  if (t.total !== null) {
    const share = Math.floor(t.total / ranks);
    return {
      total: t.total,
      micro: t.steps === null ? share : Math.floor(share / t.steps),
      steps: t.steps ?? 1,
      ranks,
    };
  }
  if (t.micro !== null)
    return { total: t.micro * (t.steps ?? 1) * ranks, micro: t.micro, steps: t.steps ?? 1, ranks };
  throw new Undecided(total);
}

function divisorsZero(settings: Settings): boolean {
  const t = given(settings);
  return t.total !== null && ((t.steps === null && t.micro === 0) || (t.micro === null && t.steps === 0));
}

/** The size that is written and is none. */
function unsized({ config }: Settings): string | null {
  return [micro, steps, total].find((key) => (asNumber(config.get(key)) ?? 1) <= 0) ?? null;
}

/** Three sizes that no number of ranks brings together: how the ranks are divided need not be known. */
function onNoRanks(settings: Settings): string | null {
  const t = given(settings);
  if (t.total === null || t.micro === null || t.steps === null) return null;
  const unit = t.micro * t.steps;
  if (settings.config.has("sequence_parallel_size") || !(t.total > 0 && unit > 0) || t.total % unit === 0)
    return null;
  return `${total} ${t.total} is not a multiple of ${micro} ${t.micro} x ${steps} ${t.steps} = ${unit}, on any number of ranks`;
}

export const batch: readonly Demand[] = [
  ...[total, micro, steps].map((key) =>
    demand(`${key.replaceAll("_", "-")}-number`, {
      about: key,
      check: ({ config }) => {
        const value = config.get(key) ?? null;
        return value === null || asNumber(value) !== undefined ? null : `${key} = ${textOf(value)} is not a number`;
      },
      why:
        "The engine divides and multiplies the three batch sizes unchanged. A text stops it with a Python TypeError. " +
        '`"auto"` is filled in by the transformers Trainer before the engine sees the file; a program that passes the file to the engine itself must write numbers.',
      fix: `Write ${key} as a number without quotes, or leave it out if the other two are given. "auto" is right only if the transformers Trainer reads the file.`,
      fires: { [key]: "auto" },
      silent: {},
    }),
  ),
  demand("batch-missing", {
    about: [total, micro],
    check: ({ config }) =>
      (config.get(total) ?? config.get(micro) ?? null) === null
        ? `neither ${total} nor ${micro} is given: the batch is unknown`
        : null,
    why: "The number of samples per step follows from either of them, but not from the accumulation steps alone. The engine stops at its start.",
    fix: "Write train_micro_batch_size_per_gpu (and gradient_accumulation_steps if it is not 1), or train_batch_size.",
    fires: { $without: [micro] },
    silent: { $without: [steps] },
  }),
  demand("batch-divisor", {
    about: [micro, steps],
    check: (settings) => (divisorsZero(settings) ? "the batch is divided by a size of 0" : null),
    why: "The third of the batch sizes is computed by a division; the engine stops with a ZeroDivisionError.",
    fix: "Write a size of at least 1, or leave that key out.",
    fires: { train_batch_size: 32, [micro]: 0, $without: [steps] },
    silent: { train_batch_size: 32, [micro]: 2, $without: [steps] },
  }),
  demand("batch-positive", {
    about: [total, micro, steps],
    blamed: unsized,
    check: (settings, host) => {
      if (divisorsZero(settings)) return null;
      const none = unsized(settings);
      if (none !== null) return `${none} = ${textOf(settings.config.get(none) ?? null)} must be greater than 0`;
      const t = triangle(settings, host);
      if (!(t.total > 0)) return `the computed ${total} is ${t.total}: it must be positive`;
      if (!(t.micro > 0))
        return `the computed ${micro} is ${t.micro}: ${t.total} samples on ${t.ranks} ranks are too few`;
      if (!(t.steps > 0))
        return `the computed ${steps} is ${t.steps}: ${t.total} samples are less than ${t.micro} x ${t.ranks} ranks`;
      return null;
    },
    why: "Each of the three batch sizes must be at least 1, including the one that the engine computes.",
    fix: "Raise train_batch_size to at least micro-batch x ranks, or lower the micro-batch; all three sizes must be at least 1.",
    fires: { train_batch_size: 8, $without: [steps] },
    silent: { train_batch_size: 16, $without: [steps] },
  }),
  demand("batch-product", {
    about: [total, micro, steps],
    check: (settings, host) => {
      if (divisorsZero(settings)) return null;
      const never = onNoRanks(settings);
      if (never !== null) return never;
      const t = triangle(settings, host);
      if (!(t.total > 0 && t.micro > 0 && t.steps > 0) || t.total === t.micro * t.steps * t.ranks) return null;
      return `${total} ${t.total} is not ${micro} ${t.micro} x ${steps} ${t.steps} x ${t.ranks} ranks = ${t.micro * t.steps * t.ranks}`;
    },
    why:
      "The batch of an optimizer step is micro-batch x accumulation x data-parallel ranks. Pipeline stages and the ranks that share a " +
      "sequence do not count.",
    fix: "Leave one of the three out to have it computed, or write train_batch_size as micro-batch x accumulation x ranks.",
    fires: { train_batch_size: 30 },
    silent: { train_batch_size: 32 },
  }),
  demand("sequence-parallel-number", {
    about: "sequence_parallel_size",
    check: ({ config }, host) => {
      const value = config.get("sequence_parallel_size");
      if (value === undefined || host.model.kind === "pipeline") return null;
      const number = asNumber(value);
      return number !== undefined && number !== 0
        ? null
        : `sequence_parallel_size = ${textOf(value)} is not a number of ranks`;
    },
    why: "The engine divides the ranks by it to get the number of ranks with different samples. A text stops it with a Python TypeError.",
    fix: "Write the number of ranks that share a sequence in digits, without quotes, or leave the key out.",
    fires: { sequence_parallel_size: "2" },
    silent: { sequence_parallel_size: 2 },
  }),
];
