/** What an optimizer keeps beside the weights that it moves. */
import { extent, tensorsOf } from "../models/measure.ts";
import type { Setting } from "./setting.ts";

/** Bytes per parameter of moments: of a block's matrices, and of the tables at a model's two ends. */
export interface Moments {
  readonly blocks: number;
  readonly first: number;
  readonly last: number;
}

const adam: Moments = { blocks: 8, first: 8, last: 8 };

/** Eight bits for each of two moments, and their scales in 32 bits for each 256 values (bitsandbytes, functional.py: quantize_blockwise). */
const bytewise = 2 * (1 + 4 / 256);

type Kept = Pick<Setting, "optimizer" | "family" | "model" | "averaged">;

/** A running mean of the weights (`ema`) is in 32 bits and lies where the moments lie: it moves as the optimizer steps. */
export function momentsOf(setting: Kept): Moments {
  const { blocks, first, last } = optimizerMoments(setting);
  const mean = setting.averaged === true ? 4 : 0;
  return { blocks: blocks + mean, first: first + mean, last: last + mean };
}

/** A plugin is taken for Adam: nobody said what it keeps. */
function optimizerMoments({ optimizer, family, model }: Kept): Moments {
  switch (optimizer?.name) {
    case "adam8bit":
      // transformers, trainer.py: embeddings keep 32 bits (register_module_override).
      return { blocks: bytewise, first: adam.first, last: bytewise };
    case "muon":
      // One momentum for each matrix of the blocks, and Adam for the rest (Jordan et al. 2024).
      return { ...adam, blocks: 4 };
    case "adafactor": {
      // A sum for each row and each column (Shazeer & Stern 2018, arXiv 1804.04235, section 3).
      const table = 4 * (1 / model.vocab + 1 / model.d_model);
      return { blocks: 4 * rowsAndColumns(family, model), first: table, last: table };
    }
    case "sgd": {
      const one = (optimizer.momentum ?? 0) > 0 ? 4 : 0;
      return { blocks: one, first: one, last: one };
    }
    default:
      return adam;
  }
}

/** Bytes of all moments of a model of which so many parameters are trained. */
export function allMoments(setting: Kept & Pick<Setting, "tuning">, trained: number): number {
  const { model, tuning } = setting;
  const { blocks, first, last } = momentsOf(setting);
  const areTablesTrained = tuning === undefined || (tuning.adapters === null && tuning.freeze?.tables !== true);
  const table = areTablesTrained ? model.d_model * model.vocab : 0;
  return blocks * trained + (first - blocks) * table + (model.tied ? 0 : (last - blocks) * table);
}

/** Rows and columns of the blocks' matrices for each of their elements; vectors count whole. */
function rowsAndColumns(family: Setting["family"], model: Setting["model"]): number {
  let sums = 0;
  let all = 0;
  for (const { tensor, elements, repeat } of tensorsOf(family, model)) {
    if (tensor.role === "embedding" || tensor.role === "positions" || tensor.role === "head") continue;
    const [rows = 1, columns = 1] = tensor.shape.slice(-2).map((side) => extent(model, side));
    const share = tensor.role === "matrix" ? 1 / rows + 1 / columns : 1;
    sums += repeat * elements * share;
    all += repeat * elements;
  }
  return all === 0 ? 0 : sums / all;
}
