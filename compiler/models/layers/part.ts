import type { Extent, Layer, Part, Place } from "../family.ts";

/** A kind of layer from its parts, in their order. */
export function layer(kind: string, place: Place, ...parts: readonly Part[]): Layer {
  const attention = parts.find((part) => part.attention !== undefined);
  const scans = parts.flatMap((part): Extent[] => (part.scan === undefined ? [] : [part.scan]));
  const plainly = parts.find((part) => part.plainly !== undefined)?.plainly;
  return {
    kind,
    place,
    tensors: parts.flatMap((part) => part.tensors),
    saved: parts.flatMap((part) => part.saved),
    ...(attention?.attention === undefined ? {} : { attention: attention.attention }),
    ...(attention?.windowed === undefined ? {} : { windowed: attention.windowed }),
    ...(scans.length === 0 ? {} : { scan: { sum: scans } }),
    ...(plainly === undefined ? {} : { plainly }),
  };
}
