/** A bar in parts against a whole, and what each part is. */
import { element } from "./element.ts";

export interface BarPart {
  readonly name: string;
  readonly size: number;
  readonly shown: string;
  readonly colour: string;
}

export interface Bar {
  readonly label: string;
  readonly parts: readonly BarPart[];
  readonly whole: number;
  /** A line across the bar. */
  readonly limit?: { readonly size: number; readonly label: string };
}

export function bar({ label, parts, whole, limit }: Bar): HTMLElement {
  const percent = (size: number) => `${((100 * size) / whole).toFixed(3)}%`;
  const track = element("div", "bar");
  track.setAttribute("role", "img");
  track.setAttribute("aria-label", `${label}: ${parts.map(({ name, shown }) => `${name} ${shown}`).join(", ")}`);
  for (const part of parts) {
    if (part.size <= 0) continue;
    const piece = element("span", "");
    piece.style.width = percent(part.size);
    piece.style.background = `var(--${part.colour})`;
    piece.title = `${part.name} ${part.shown}`;
    track.append(piece);
  }
  if (limit === undefined) return track;
  const line = element("i", "limit");
  line.style.left = percent(Math.min(limit.size, whole));
  line.title = limit.label;
  track.append(line);
  return track;
}

/** The parts that can be seen in the bar, largest first. */
export function legend({ parts, whole }: Pick<Bar, "parts" | "whole">): HTMLElement {
  const shown = parts.filter(({ size }) => size >= 0.005 * whole).sort((a, b) => b.size - a.size);
  return element(
    "ul",
    "legend",
    shown.map((part) => {
      const swatch = element("i", "swatch");
      swatch.style.background = `var(--${part.colour})`;
      return element("li", "", swatch, part.name, element("b", "", part.shown));
    }),
  );
}
