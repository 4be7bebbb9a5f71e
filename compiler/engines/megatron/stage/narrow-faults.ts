import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { engineNarrowDevice } from "../../../diagnostics/engine.ts";
import { gpus } from "../../../hardware/gpus.ts";
import type { Device, StageStep } from "../../../pipeline.ts";
import { widesOf } from "../../rules/precision.ts";
import { hasBlockScales, isNarrow } from "../narrow.ts";

/** A device without the units of a narrow precision, with the devices that have them. */
export function narrowFaults({ precision, narrow }: StageStep, device: Device): readonly Diagnostic[] {
  const { value, span } = precision;
  if (!isNarrow(value) || device.kind !== "gpu") return [];
  const recipe = narrow?.recipe ?? null;
  const able = (has: (gpu: Device) => boolean): string =>
    gpus
      .filter(has)
      .map(({ name }) => name)
      .join(", ");
  const hasUnits = (gpu: Device): boolean => (gpu.flops[value] ?? 0) > 0;
  if (!hasUnits(device)) {
    const slots = { precision: value, device: device.name, able: able(hasUnits) };
    const narrows = (["fp8", "fp4"] as const).filter((one) => (device.flops[one] ?? 0) > 0);
    const valid = [...widesOf(device), ...narrows];
    const fixes = valid.slice(-1).map((one) => replacement(span, one, `use precision = ${one}`));
    return [engineNarrowDevice(span, slots, { valid, fixes })];
  }
  if (recipe?.value !== "mxfp8" || hasBlockScales(device)) return [];
  const slots = { precision: "mxfp8", device: device.name, able: able(hasBlockScales) };
  return [engineNarrowDevice(recipe.span, slots, { valid: ["tensorwise", "delayed", "blockwise"] })];
}
