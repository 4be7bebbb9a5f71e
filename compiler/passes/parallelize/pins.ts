/** Pins and bounds of a layout, by name. */
import type { Span } from "../../../dsl/source/source.ts";
import type { Settings } from "../../pipeline.ts";
import { boundText } from "../size/bounds.ts";

export const namesOf = ({ given, bounds }: Settings): string[] => [...new Set([...given.keys(), ...bounds.keys()])];

export const without = (layout: Settings, names: readonly string[]): Settings =>
  kept(layout, (name) => !names.includes(name));

export const only = (layout: Settings, names: readonly string[]): Settings =>
  kept(layout, (name) => names.includes(name));

function kept({ given, bounds }: Settings, keeps: (name: string) => boolean): Settings {
  const among = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...map].filter(([name]) => keeps(name)));
  return { given: among(given), bounds: among(bounds) };
}

/** As it was written, and where: `= 2`, `>= 2`. */
export function writtenOf(
  { given, bounds }: Settings,
  name: string,
): { readonly value: string; readonly span: Span | undefined } {
  const pin = given.get(name);
  const bound = bounds.get(name);
  const value = pin === undefined ? (bound === undefined ? "" : boundText(bound)) : `= ${String(pin.value)}`;
  return { value, span: pin?.span ?? bound?.spans[0] };
}
