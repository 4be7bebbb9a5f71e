/** A curve in one line of text. */

const heights = "▁▂▃▄▅▆▇█";

/** The mean of each of `width` equal stretches; what is no number is left out. */
export function sparkline(values: readonly number[], width: number): string {
  const finite = values.filter((value) => Number.isFinite(value));
  if (finite.length < 2 || width < 2) return "";
  const cells = Math.min(width, finite.length);
  const means = Array.from({ length: cells }, (_, cell) => {
    const from = Math.floor((cell * finite.length) / cells);
    const part = finite.slice(from, Math.max(from + 1, Math.floor(((cell + 1) * finite.length) / cells)));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const low = means.reduce((a, b) => Math.min(a, b));
  const high = means.reduce((a, b) => Math.max(a, b));
  const span = high - low || 1;
  return means.map((mean) => heights[Math.round(((mean - low) / span) * (heights.length - 1))] ?? "").join("");
}

const eighths = " ▏▎▍▌▋▊▉█";

/** A bar of `width` columns filled to a fraction, to an eighth of a column. */
export function bar(fraction: number, width: number): { readonly full: string; readonly rest: string } {
  const parts = Math.round(Math.min(1, Math.max(0, fraction)) * width * 8);
  const whole = Math.floor(parts / 8);
  const part = parts % 8 === 0 ? "" : (eighths[parts % 8] ?? "");
  return { full: "█".repeat(whole) + part, rest: "░".repeat(width - whole - (part === "" ? 0 : 1)) };
}
