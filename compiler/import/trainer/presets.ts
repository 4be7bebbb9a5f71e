import { standardLibrary } from "../../std/index.ts";

/** Models of the standard library, by name. */
export function presetNames(): readonly string[] {
  const text = standardLibrary.read("std/models") ?? "";
  return [...text.matchAll(/^model (\w+)/gm)].map(([, name]) => name ?? "");
}
