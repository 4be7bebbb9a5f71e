// `npm run quickstart`: set-up, then the main job on the embedded default.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { node, root, setupBuild, setupNode, setupPython } from "./setup.mjs";

setupNode();
setupBuild();
setupPython();
const args = process.argv.slice(2);
const { status } = spawnSync(node, [join(root, "bin/cdrc.mjs"), "run", "examples/quickstart.cdr", ...args], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
