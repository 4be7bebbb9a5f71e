import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { checkForeign } from "../check.ts";
import type { Beside } from "../beside.ts";
import type { Supplied } from "../launch.ts";
import type { Files } from "./rule.ts";

const nothing: Supplied = { world: null, gpusPerNode: null, gpu: null };

/** What is said of a rule's example. Files in folders are not given to the command: they lie on the machine that checks. */
export function toldOf(files: Files, supplied: Partial<Supplied> = {}): readonly Diagnostic[] {
  const given = Object.keys(files).filter((path) => !path.includes("/"));
  const sources = given.map((path) => ({ path, text: files[path] ?? "" }));
  return checkForeign(sources, { ...nothing, ...supplied }, memory(files)).diagnostics;
}

function memory(files: Files): Beside {
  const plain = (path: string): string => path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  return {
    text: (path) => {
      const text = files[plain(path)];
      return text === undefined ? undefined : { path: plain(path), text };
    },
    names: (path) => {
      if (!Object.keys(files).some((name) => name.includes("/"))) return undefined;
      const folder = plain(path) === "." ? "" : `${plain(path)}/`;
      const below = Object.keys(files).filter((name) => name.startsWith(folder));
      return below.length === 0
        ? undefined
        : [...new Set(below.map((name) => name.slice(folder.length).split("/")[0] ?? ""))];
    },
    bytes: (path, _, start, length) => {
      const text = files[plain(path)];
      return text === undefined
        ? undefined
        : Uint8Array.from(text.slice(start, start + length), (char) => char.charCodeAt(0));
    },
  };
}
