/** What is wrong, in words, below the text: one line each, and the way to its place. */
import { type editor, MarkerSeverity } from "monaco-editor/editor";
import { type Content, element } from "./element.ts";

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

/** What stands between backquotes is code. */
const spoken = (message: string): readonly Content[] =>
  message.split("`").map((text, i) => (i % 2 === 0 ? text : element("code", "", text)));
