/** Ranks that worked on the same samples there, by means that no engine of the training program has. */
import type { Launch } from "../../foreign/launch.ts";
import { parallelSize } from "../../foreign/parallelism.ts";
import { numberIn, type Settings } from "../../foreign/settings.ts";
import { atPath, type Section } from "./deepspeed-document.ts";
import type { Left } from "./facts.ts";

export interface Undivided {
  /** Ranks that shared each sample. */
  readonly ranks: number;
  /** Those of them that DeepSpeed's `train_batch_size` counts as if each had samples of its own. */
  readonly counted: number;
  readonly left: readonly Left[];
  /** What the stage's engine is a guess for. */
  readonly why?: string;
}

/**
 * The batch counts groups of such ranks, not ranks (transformers trainer.py: get_total_train_batch_size; axolotl/utils/config/__init__.py:
 * normalize_config). `train_batch_size` beside `autotp_size` is one for all ranks (deepspeed runtime/config.py: _batch_assertion), of
 * which the groups read so much less (runtime/engine.py: deepspeed_io).
 */
export function undividedOf(
  { documents }: Launch,
  settings: Settings,
  config: Section | null,
  ranks: number,
): Undivided {
  const isAxolotl = documents.some(({ kind }) => kind === "axolotl");
  const size = (name: string, ...axolotl: readonly string[]): number =>
    Math.max(parallelSize(settings, name), isAxolotl ? (numberIn(settings, ...axolotl) ?? 1) : 1);
  const automatic = Number(config === null ? 1 : (atPath(config, "tensor_parallel.autotp_size") ?? 1));
  const counted = Number.isInteger(automatic) && automatic > 1 ? automatic : 1;
  const tensor = counted > 1 ? counted : size("tp_size", "tensor_parallel_size");
  const shared = [
    { what: "tensor parallelism", size: tensor, isReported: counted > 1 },
    {
      what: "context parallelism",
      size: size("cp_size", "context_parallel_size", "sequence_parallel_degree"),
      isReported: false,
    },
  ].filter((each) => each.size > 1);
  const all = shared.reduce((product, each) => product * each.size, 1);
  if (all === 1 || !Number.isInteger(all) || ranks % all !== 0) return { ranks: 1, counted: 1, left: [] };
  return {
    ranks: all,
    counted,
    // What a DeepSpeed file asks for and the stage's engine refuses is reported with that file's other keys.
    left: shared.filter(({ isReported }) => !isReported).map((each) => ({
      what: `${each.what} over ${each.size} ranks`,
      why: "cdr's own training program has none under torch; each rank trains on its own samples, and the batch stays the same",
    })),
    why: `it was with ${shared.map((each) => `${each.what} of ${each.size}`).join(" and ")}`,
  };
}
