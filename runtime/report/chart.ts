/** Drawings as SVG, made by vega without a browser. Colours are marks for the style sheet to replace, so that a page can be dark. */
import type { TopLevelSpec } from "vega-lite";

export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
  readonly height: number;
}

/** Placeholder colours: a value that nothing else in the drawing has, and the variable that stands for it. */
export const inks = {
  "#0a0b01": "--ink",
  "#0a0b02": "--faint",
  "#0a0b03": "--line-1",
  "#0a0b04": "--line-2",
  "#0a0b05": "--part-1",
  "#0a0b06": "--part-2",
  "#0a0b07": "--part-3",
  "#0a0b08": "--part-4",
  "#0a0b09": "--part-5",
  "#0a0b0a": "--part-6",
  "#0a0b0b": "--part-7",
} as const;

const mostPoints = 1500;

export async function drawChart({ title, x, y, series, height }: Chart): Promise<string> {
  const values = series.flatMap(({ name, points }) => thinned(points).map((point) => ({ ...point, name })));
  return draw(title, {
    width: 760,
    height,
    data: { values },
    mark: { type: "line", strokeWidth: 1.8, point: values.length < 30 },
    encoding: {
      x: { field: "x", type: "quantitative", title: x, axis: { tickMinStep: 1, grid: false } },
      y: { field: "y", type: "quantitative", title: y, scale: { zero: false } },
      color: {
        field: "name",
        type: "nominal",
        sort: series.map(({ name }) => name),
        scale: { range: ["#0a0b03", "#0a0b04"] },
        legend: series.length > 1 ? { title: null, orient: "top-right" } : null,
      },
    },
  });
}

/** Any drawing, in the marks of this file. `title` is read out where nobody sees it. */
export async function draw(title: string, spec: TopLevelSpec): Promise<string> {
  // Large, and needed by nothing else.
  const [vega, lite] = await Promise.all([import("vega"), import("vega-lite")]);
  const compiled = lite.compile({ background: "transparent", config, ...spec });
  const view = new vega.View(vega.parse(compiled.spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return svg.replace("<svg", `<svg role="img" aria-label="${title.replaceAll(/[<>&"]/g, "")}"`);
}

const config: NonNullable<TopLevelSpec["config"]> = {
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: "#0a0b01",
    titleColor: "#0a0b01",
    gridColor: "#0a0b02",
    domainColor: "#0a0b02",
    tickColor: "#0a0b02",
    titleFontWeight: "normal",
    labelFontSize: 11,
    titleFontSize: 11,
  },
  legend: { labelColor: "#0a0b01", labelFontSize: 11 },
};

/** The same drawing as a file of its own, with colours for light and dark. */
export function standalone(svg: string, css: string): string {
  return svg.replace(/(<svg[^>]*>)/, `$1<style>${css}</style>`);
}

/** Enough points for the width of the drawing; the first and the last are kept. */
function thinned<T>(points: readonly T[]): readonly T[] {
  if (points.length <= mostPoints) return points;
  const last = points.length - 1;
  return Array.from({ length: mostPoints }, (_, i) => points[Math.round((i * last) / (mostPoints - 1))]).filter(
    (point) => point !== undefined,
  );
}
