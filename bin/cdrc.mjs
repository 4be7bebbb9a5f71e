#!/usr/bin/env node
// Starts the bundled compiler on the Node that this package brings, whatever Node the machine has. What is imported
// here is paid for by every `cdrc check`, so that little is.
import module from "node:module";

const root = new URL("..", import.meta.url);
if (Number(process.versions.node.split(".")[0]) >= 22) {
  // Before the heap has grown: in a server that waits most of the time young objects die in a small space too.
  if (process.argv[2] === "lsp")
    process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1");
  module.enableCompileCache(new URL("node_modules/.cache/cdr/v8", root).pathname);
  try {
    await import(new URL(process.argv[2] === "check" ? "dist/check.mjs" : "dist/cdrc.mjs", root).href);
  } catch (error) {
    if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    process.stderr.write("cdrc: not built yet. Run `npm run setup` once.\n");
    process.exitCode = 2;
  }
} else {
  const { spawn } = await import("node:child_process");
  const { fileURLToPath } = await import("node:url");
  const newer = module.createRequire(import.meta.url).resolve("node/bin/node");
  const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // The child decides what a signal means, and this process outlives it to hand on its exit code.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exit(code ?? 70));
}
