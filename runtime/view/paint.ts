/** Colour as a choice of whoever renders: the same lines with it and without. */

type Brush = (text: string) => string;

export interface Paint {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly green: Brush;
  readonly yellow: Brush;
  readonly blue: Brush;
  readonly cyan: Brush;
}

const same: Brush = (text) => text;
const ansi =
  (open: number, close: number): Brush =>
  (text) =>
    text === "" ? "" : `\u001B[${open}m${text}\u001B[${close}m`;

export const noPaint: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, blue: same, cyan: same };

export const ansiPaint: Paint = {
  bold: ansi(1, 22),
  dim: ansi(2, 22),
  red: ansi(31, 39),
  green: ansi(32, 39),
  yellow: ansi(33, 39),
  blue: ansi(34, 39),
  cyan: ansi(36, 39),
};
