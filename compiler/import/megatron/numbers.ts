/** Typed access to the engine's values. */
import type { Reading } from "./reading.ts";

export interface Values {
  readonly number: (dest: string) => number | null;
  readonly text: (dest: string) => string | null;
  readonly on: (dest: string) => boolean;
  readonly list: (dest: string) => readonly unknown[] | null;
  readonly given: (dest: string) => boolean;
}

export function valuesOf({ used, line }: Reading): Values {
  return {
    number: (dest) => {
      const value = used[dest];
      return typeof value === "number" && Number.isFinite(value) ? value : null;
    },
    text: (dest) => {
      const value = used[dest];
      return typeof value === "string" ? value : null;
    },
    on: (dest) => used[dest] === true,
    list: (dest) => {
      const value = used[dest];
      return Array.isArray(value) ? (value as readonly unknown[]) : null;
    },
    given: (dest) => line.given.has(dest),
  };
}
