/** What is wrong, in words, below the text: one line each, and the way to its place. */
import { type editor, MarkerSeverity } from "monaco-editor/editor";
import { element } from "./element.ts";
import { spoken } from "./spoken.ts";

export function problemsView(
  markers: readonly editor.IMarker[],
  go: (marker: editor.IMarker) => void,
): HTMLElement[] {
  const sorted = markers
    .filter(({ severity }) => severity > MarkerSeverity.Hint)
    .sort((a, b) => b.severity - a.severity || a.startLineNumber - b.startLineNumber);
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
      element("span", "place", `line ${marker.startLineNumber}`),
      element("span", "", spoken(marker.message)),
    );
    line.addEventListener("click", () => go(marker));
    return line;
  });
}
