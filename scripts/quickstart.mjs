// `npm run quickstart`: set-up, then the main job on the embedded default.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { node, root, setupBuild, setupNode, setupPython } from "./setup.mjs";

setupNode();
setupBuild();
setupPython();
const args = process.argv.slice(2);
const child = spawn(node, [join(root, "bin/cdrc.mjs"), "run", "examples/quickstart.cdr", ...args], {
  cwd: root,
  stdio: "inherit",
});
// The child decides what a signal means, and this process outlives it to hand on its exit code.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exit(code ?? 1));
