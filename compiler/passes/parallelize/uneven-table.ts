import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { tableUneven } from "../../diagnostics/kernels.ts";
import type { StageStep } from "../../pipeline.ts";
import { paddedRows } from "../../planner/adapter/padded-rows.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { timeOf } from "../../planner/time.ts";

/** As Megatron pads, for each tensor rank. */
const tile = 128;

/** Less of a step is not worth ids that never occur. */
const worthwhile = 0.01;

/** Rows of the tables that products take badly and the engine does not pad. What starts from trained weights has their rows. */
export function unevenTable({ from, weights, model: said }: StageStep, best: Evaluated): Diagnostic[] {
  const { setting, choice, time } = best;
  const { model, engine } = setting;
  const { vocab } = model;
  const even = Math.ceil(vocab / tile) * tile;
  if (from !== null || weights !== undefined || even === vocab || paddedRows(setting, choice) !== vocab) return [];
  const saved = 1 - timeOf({ ...setting, model: { ...model, vocab: even } }, choice).step / time.step;
  if (!(saved >= worthwhile)) return [];
  const { span } = said.given.get("vocab") ?? said;
  const slots = { engine: engine.name, vocab, even, share: `${Math.round(100 * saved)} %` };
  return [tableUneven(span, slots, { valid: [String(even)] })];
}
