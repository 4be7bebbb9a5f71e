/** A demand broken by a launch as people write it, and the nearest launch that keeps it. */
import type { Supplied } from "../../../../compiler/foreign/launch.ts";
import type { Files } from "../../../../compiler/foreign/rules/rule.ts";

export interface LaunchCase {
  /** The demand, and the part of it where it has several. */
  readonly name: string;
  readonly fires: Files;
  readonly silent: Files;
  /** What the command line says beside the files. */
  readonly supplied?: Partial<Supplied>;
}

/** Cases of one file each. */
export const inFile =
  (path: string, text: (more: string) => string) =>
  (name: string, fires: string, silent: string, supplied?: Partial<Supplied>): LaunchCase => ({
    name,
    fires: { [path]: text(fires) },
    silent: { [path]: text(silent) },
    ...(supplied === undefined ? {} : { supplied }),
  });
