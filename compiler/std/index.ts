/** The standard library: `.cdr` files of this folder, and `std/gpus`, which is written from the table of devices. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StandardLibrary } from "../../dsl/kind.ts";
import { devices } from "../hardware/index.ts";
import { packageRoot } from "../package-root.ts";

/** What was read: an editor asks at each keystroke, and the files of a package stay as they are. */
const texts = new Map<string, string | undefined>();

export const standardLibrary: StandardLibrary = {
  names: ["std/clusters", "std/data", "std/gpus", "std/models", "std/tokenizers"],
  read: (path) => {
    if (!texts.has(path)) texts.set(path, textOf(path));
    return texts.get(path);
  },
};

function textOf(path: string): string | undefined {
  if (path === "std/gpus") return gpuBlocks();
  const file = join(packageRoot(), "compiler", `${path}.cdr`);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function gpuBlocks(): string {
  const blocks = [...devices.values()].map((device) =>
    [
      `/// ${device.source}`,
      `gpu ${device.name} {`,
      `  kind = ${device.kind === "cpu" ? "processor" : "gpu"}`,
      `  memory = ${device.memory} bytes`,
      ...Object.entries(device.flops).map(([precision, flops]) => `  ${precision} = ${flops / 1e9} GFLOPS`),
      `  bandwidth = ${device.bandwidth} bytes/s`,
      ...(device.power === undefined ? [] : [`  power = ${device.power} W`]),
      "}",
    ].join("\n"),
  );
  return `/// Devices and their peaks, with their sources.\n\n${blocks.join("\n\n")}\n`;
}
