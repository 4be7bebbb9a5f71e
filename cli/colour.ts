export type ColourFlag = "auto" | "always" | "never";

/** Whether text on a stream may be coloured: `--color`, then NO_COLOR, CI and whether a terminal shows it. */
export function isColoured(stream: Pick<NodeJS.WriteStream, "isTTY">, flag: ColourFlag): boolean {
  if (flag !== "auto") return flag === "always";
  const off = (process.env["NO_COLOR"] ?? "") !== "" || process.env["TERM"] === "dumb";
  return stream.isTTY && !off;
}
