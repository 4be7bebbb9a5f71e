import { lineStart } from "../source/line-start.ts";
import type { Source } from "../source/source.ts";

/** Whether nothing more stands on the line of `end`, and the next one that says anything is deeper and begins as a member does. */
export function opensIndented({ text }: Source, end: number): boolean {
  const own = /^[ \t]*/.exec(text.slice(lineStart(text, end), end))?.[0].length ?? 0;
  const below =
    /^[ \t]*(?:(?:#|\/\/)[^\r\n]*)?(?:\r\n|\r|\n)(?:[ \t]*(?:(?:#|\/\/)[^\r\n]*)?(?:\r\n|\r|\n))*([ \t]*)["\w.]+[ \t]*(?:[:={]|[<>]=)/;
  const found = below.exec(text.slice(end, end + 2000));
  return found !== null && (found[1] ?? "").length > own;
}
