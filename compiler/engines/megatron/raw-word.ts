/** What `raw megatron { … }` says of an argument, under whichever of its names: option names, or the one that the engine's code reads. */
import type { Document } from "../../document.ts";
import type { StageStep } from "../../pipeline.ts";
import { argumentTable, knownVersions, type Argument, type ArgumentTable } from "./table.ts";

type Raw = StageStep["rawMegatron"];

export interface RawWord {
  readonly key: string;
  readonly value: Document;
}

interface Named {
  readonly argument: Argument;
  /** The option under which it was found; `null` for the name that the engine's code reads. */
  readonly option: string | null;
}

export function argumentOf(key: string, all: Pick<ArgumentTable, "byName" | "byDest">): Named | null {
  const name = key.replace(/^-+/, "");
  const option = `--${name.replaceAll("_", "-")}`;
  const byName = all.byName.get(option) ?? all.byName.get(`--${name}`);
  if (byName !== undefined) return { argument: byName, option };
  const argument = all.byDest.get(key)?.[0];
  return argument === undefined ? null : { argument, option: null };
}

/** Under its own name a switch is said to be given; under the name of what it switches, that is said. */
export function switched({ argument, option }: Named, isGiven: boolean): boolean {
  const isNegative =
    argument.action === "store_false" ||
    (argument.action === "boolean_optional" && option?.startsWith("--no-") === true);
  return option !== null && isNegative ? !isGiven : isGiven;
}

const read = new WeakMap<Raw, ReadonlyMap<string, RawWord>>();

/** By the name that the engine's code reads an argument under. What no release has keeps its own key. */
function wordsIn(raw: Raw): ReadonlyMap<string, RawWord> {
  const known = read.get(raw);
  if (known !== undefined) return known;
  const words = new Map(
    Object.entries(raw).map(([key, value]): [string, RawWord] => {
      const named = inAnyRelease(key);
      if (named === null) return [key, { key, value }];
      const isSwitch = named.argument.action !== undefined && typeof value === "boolean";
      return [named.argument.dest, { key, value: isSwitch ? switched(named, value) : value }];
    }),
  );
  read.set(raw, words);
  return words;
}

function inAnyRelease(key: string): Named | null {
  for (const version of knownVersions) {
    const named = argumentOf(key, argumentTable("gpt", version));
    if (named !== null) return named;
  }
  return null;
}

/** `name` is the one that the engine's code reads. */
export const rawEntry = (raw: Raw, name: string): RawWord | undefined => wordsIn(raw).get(name);

export const rawWord = (raw: Raw, name: string): unknown => rawEntry(raw, name)?.value ?? undefined;
