import { standardLibrary } from "../../std/index.ts";

/** Models of the standard library, by name. */
export function presetNames(): readonly string[] {
  const text = standardLibrary.read("std/models") ?? "";
  return [...text.matchAll(/^model (\w+)/gm)].map(([, name]) => name ?? "");
}

/** Tokens that one of them takes at most, which it may have from the one that it extends. */
export function presetContext(name: string): number | null {
  const text = standardLibrary.read("std/models") ?? "";
  const [, base, body] = new RegExp(`^model ${name}(?: extends (\\w+))? \\{(.*?)\\}$`, "ms").exec(text) ?? [];
  const own = /\bcontext\s*= ([\d_]+) tokens/.exec(body ?? "")?.[1];
  if (own !== undefined) return Number(own.replaceAll("_", ""));
  return base === undefined ? null : presetContext(base);
}
