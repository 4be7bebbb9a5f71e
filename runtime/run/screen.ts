/** Where the picture goes: drawn over itself on a terminal, told line by line anywhere else. Data never goes here. */
import { createLogUpdate } from "log-update";
import { renderLive, headline } from "../view/live.ts";
import type { PipelineView } from "../view/model.ts";
import { ansiPaint, noPaint, type Paint } from "../view/paint.ts";
import { tellPlain, untold, type Told } from "../view/plain.ts";
import { fit } from "../view/width.ts";

export interface Screen {
  readonly paint: Paint;
  /** A picture that changes, rather than lines. */
  readonly drawn: boolean;
  readonly columns: () => number;
  readonly show: (view: PipelineView) => void;
  /** Lines that stay, above whatever is drawn next. */
  readonly say: (lines: readonly string[]) => void;
  /** The last picture stays; nothing is drawn after it. */
  readonly close: (view: PipelineView | null) => void;
}

export type Colour = "auto" | "always" | "never";

export function paintFor(stream: NodeJS.WriteStream, colour: Colour): Paint {
  if (colour !== "auto") return colour === "always" ? ansiPaint : noPaint;
  return isTerminal(stream) && (process.env["NO_COLOR"] ?? "") === "" ? ansiPaint : noPaint;
}

function isTerminal(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env["TERM"] !== "dumb";
}

export function screenOf(stream: NodeJS.WriteStream, colour: Colour): Screen {
  const { CI: ci = "", NO_COLOR: bare = "" } = process.env;
  const paint = paintFor(stream, colour);
  const columns = (): number => stream.columns || 80;
  // Nobody reads any more: a terminal that was closed must not end what is supervised.
  stream.on("error", () => {});
  const wanted = colour === "always" || (colour === "auto" && ci === "" && bare === "");
  return isTerminal(stream) && wanted ? drawing(stream, paint, columns) : telling(stream, paint, columns);
}

/** Lines alone, each passed through `change`: for one run of several at the same time. */
export function tellingTo(stream: NodeJS.WriteStream, colour: Colour, change: (text: string) => string): Screen {
  stream.on("error", () => {});
  return telling(
    { write: (text) => stream.write(change(text)) },
    paintFor(stream, colour),
    () => stream.columns || 80,
  );
}

function drawing(stream: NodeJS.WriteStream, paint: Paint, columns: () => number): Screen {
  const update = createLogUpdate(stream);
  let last: PipelineView | null = null;
  const draw = (): void => {
    if (last === null) return;
    const rows = Math.max(4, (stream.rows || 24) - 1);
    const lines = renderLive(last, { columns: columns(), now: Date.now() / 1000 }, paint);
    update(lines.slice(0, rows).join("\n"));
  };
  const timer = setInterval(draw, 500);
  timer.unref();
  const redraw = (): void => {
    update.clear();
    draw();
  };
  stream.on("resize", redraw);
  return {
    paint,
    drawn: true,
    columns,
    show: (view) => {
      last = view;
      draw();
    },
    say: (lines) => {
      update.clear();
      stream.write(`${lines.join("\n")}\n`);
      draw();
    },
    close: (view) => {
      clearInterval(timer);
      stream.off("resize", redraw);
      last = null;
      update.clear();
      if (view !== null) stream.write(`${finalLines(view, columns(), paint).join("\n")}\n`);
      update.done();
    },
  };
}

function telling(stream: { write: (text: string) => void }, paint: Paint, columns: () => number): Screen {
  const told = new Map<string, Told>();
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) stream.write(`${lines.join("\n")}\n`);
  };
  const show = (view: PipelineView): void => {
    for (const run of view.runs) {
      const news = tellPlain(run, told.get(run.step.name) ?? untold, Date.now() / 1000);
      told.set(run.step.name, news.told);
      write(news.lines);
    }
  };
  return {
    paint,
    drawn: false,
    columns,
    show,
    say: write,
    close: (view) => {
      if (view === null) return;
      show(view);
      write(finalLines(view, Number.POSITIVE_INFINITY, paint));
    },
  };
}

function finalLines(view: PipelineView, columns: number, paint: Paint): string[] {
  const names = Math.max(0, ...view.runs.map((run) => run.step.name.length));
  const canvas = { columns, now: Date.now() / 1000 };
  return ["", ...view.runs.map((run) => fit(headline(run, names, canvas, paint), columns - 1)), ""];
}
