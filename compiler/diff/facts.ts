/** What a file, a bundle or a run says, as one value for each path: the ground on which two of them are compared. */
import type { FormulaTree } from "../../dsl/types/value.ts";
import { canonical } from "./canonical.ts";

export interface Fact {
  /** As it is compared: a number, or text as one would write it. */
  readonly value: string | number | boolean | null;
  /** Where it came from, for people. */
  readonly origin: string | null;
  /** What it is compared by, where values that read otherwise may mean the same. */
  readonly meaning?: string;
  /** The same in every unit that it has where it stands. */
  readonly converted?: string;
  /** How people read its path, where that alone does not tell it from others. */
  readonly shown?: string;
  /** A block of the file: what it says stands under the name that it has. */
  readonly named?: true;
}

/** By path: `pretrain.optimizer.lr`, `memory.peak`, `stages/pretrain/trainer.json: optimizer.lr`. */
export type Facts = ReadonlyMap<string, Fact>;

/** The four things that two training runs may differ in, causes before consequences. */
export interface Meaning {
  /** What the file says; `null` where only its consequences are at hand. */
  readonly values: Facts | null;
  /** `null` where a mistake leaves nothing to follow. */
  readonly plan: Facts | null;
  /** What engines and targets read. */
  readonly emitted: Facts | null;
  /** What a run has shown; `null` where nothing was run. */
  readonly measured: Facts | null;
}

/** The leaves of a JSON value, each under its path. */
export function leaves(
  value: unknown,
  path: string,
  origin: (path: string) => string | null,
  into: Map<string, Fact>,
): void {
  if (isFormula(value)) {
    into.set(path, { value: canonical(value), origin: origin(path) });
  } else if (Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null)) {
    for (const [index, item] of value.entries()) leaves(item, `${path}[${index}]`, origin, into);
  } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value))
      leaves(inner, path === "" || path.endsWith(": ") ? path + name : `${path}.${name}`, origin, into);
  } else if (value !== undefined) {
    const isPlain = typeof value === "number" || typeof value === "boolean" || typeof value === "string";
    into.set(path, { value: isPlain || value === null ? value : JSON.stringify(value), origin: origin(path) });
  }
}

/** As plans and engines are given it. */
const isFormula = (value: unknown): value is FormulaTree =>
  typeof value === "object" && value !== null && Object.keys(value).sort().join() === "of,op";
