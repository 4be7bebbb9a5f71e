/** The packages of a pyproject.toml. */
import { at, itemsOf, scalarOf, type Located } from "./located.ts";
import type { Line } from "./listing.ts";

/** As a list of requirements has them; `null` where it is no such file. Extras are not installed unless somebody asks. */
export function projectPackages(root: Located): readonly Line[] | null {
  const sections = [["project"], ["build-system"], ["tool"], ["dependency-groups"]];
  if (sections.every((path) => at(root, ...path)?.kind !== "map")) return null;
  const own = itemsOf(at(root, "project", "dependencies")).flatMap((node): Line[] => {
    const text = scalarOf(node);
    return typeof text === "string" ? [{ text, span: node.span }] : [];
  });
  const poetry = at(root, "tool", "poetry", "dependencies");
  const poetrys = (poetry?.kind === "map" ? poetry.entries : []).flatMap(({ key, value, keySpan }): Line[] => {
    const version = scalarOf(value.kind === "map" ? at(value, "version") : value);
    // Its carets and tildes are its own; a version alone is that version.
    const said = typeof version === "string" && /^[\d<>=!]/.test(version) ? version : "";
    return [
      { text: `${key}${/^\d/.test(said) ? "==" : ""}${said}`, span: value.kind === "map" ? keySpan : value.span },
    ];
  });
  return [...own, ...poetrys];
}
