#!/usr/bin/env node
// Starts the bundled compiler on the Node that this package brings, whatever Node the machine has.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, "dist", "cdrc.mjs");
if (!existsSync(program)) {
  process.stderr.write("cdrc: not built yet. Run `npm run setup` once.\n");
  process.exit(2);
}
if (Number(process.versions.node.split(".")[0]) >= 22) {
  module.enableCompileCache?.(join(root, "node_modules", ".cache", "cdr", "v8"));
  await import(pathToFileURL(program).href);
} else {
  const newer = join(dirname(module.createRequire(import.meta.url).resolve("node/package.json")), "bin", "node");
  const { status, signal } = spawnSync(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(status ?? 70);
}
