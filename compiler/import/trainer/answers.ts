/** What the files of a launch say, and what they leave to a tool or to a guess: the one place where a value becomes a fact. */
import type { Document } from "../../document.ts";
import type { Settings } from "../../foreign/settings.ts";
import { atPath, type Section } from "./deepspeed-document.ts";

export interface Fact<T> {
  readonly value: T;
  /** Why it is a guess. */
  readonly guessed?: string;
}

export const unsaid = "no file gives it";

export interface Answers {
  readonly settings: Settings;
  /** What the DeepSpeed file says; `"auto"` says nothing. */
  readonly own: (path: string) => Document | undefined;
  readonly number: (path: string) => number | null;
  /** Whether it leaves a value to the Trainer. */
  readonly isAuto: (path: string) => boolean;
  /** A value worked out of answers. Where there was none, it is the default of a tool that is known, or a guess. */
  readonly fact: <T>(of: () => T, isDefault: boolean) => Fact<T>;
}

export function answersOf(settings: Settings, config: Section | null): Answers {
  let count = 0;
  const heard = <T>(answer: T | undefined): T | undefined => {
    if (answer !== undefined) count++;
    return answer;
  };
  const own = (path: string): Document | undefined => {
    const value = config === null ? undefined : atPath(config, path);
    return heard(value === "auto" ? undefined : value);
  };
  return {
    settings: Object.assign(new Map(settings), { get: (name: string) => heard(settings.get(name)) }),
    own,
    isAuto: (path) => config !== null && atPath(config, path) === "auto",
    number: (path) => {
      const value = own(path);
      const number = typeof value === "string" ? Number(value) : value;
      return typeof number === "number" && Number.isFinite(number) ? number : null;
    },
    fact: (of, isDefault) => {
      const before = count;
      const value = of();
      return count > before || isDefault ? { value } : { value, guessed: unsaid };
    },
  };
}

/** The same fact in other words. */
export const mapped = <T, U>({ value, guessed }: Fact<T>, of: (value: T) => U): Fact<U> =>
  guessed === undefined ? { value: of(value) } : { value: of(value), guessed };
