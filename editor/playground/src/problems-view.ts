/** What is wrong, in words, below the text: one line each, and the way to its place. */
import { type editor, MarkerSeverity } from "monaco-editor/editor";
import { element } from "./element.ts";
import { spoken } from "./spoken.ts";

export interface Problem extends editor.IMarker {
  /** The file that it is in, where that is not the one that is shown: both count for the plan. */
  readonly elsewhere: string | null;
}

export function problemsView(problems: readonly Problem[], go: (problem: Problem) => void): HTMLElement[] {
  const rank = ({ elsewhere }: Problem): number => (elsewhere === null ? 0 : 1);
  const sorted = problems
    .filter(({ severity }) => severity > MarkerSeverity.Hint)
    .sort(
      (a, b) =>
        rank(a) - rank(b) ||
        (a.elsewhere ?? "").localeCompare(b.elsewhere ?? "") ||
        b.severity - a.severity ||
        a.startLineNumber - b.startLineNumber,
    );
  return sorted.map((marker) => {
    const look =
      marker.severity === MarkerSeverity.Error
        ? "error"
        : marker.severity === MarkerSeverity.Warning
          ? "warning"
          : "info";
    const line = element(
      "button",
      `problem ${look}`,
      element("span", "place", [marker.elsewhere ?? "", `line ${marker.startLineNumber}`].join(" ").trim()),
      " ",
      element("span", "", spoken(marker.message)),
    );
    line.addEventListener("click", () => go(marker));
    return line;
  });
}
