// `npm run bench -- NAME [options]`: JSON on stdout, a table on stderr.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { node, root, setupBuild, setupNode, setupPython } from "./setup.mjs";

setupNode();
setupBuild();
const python = setupPython();
const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}`, CDR_TEST_PYTHON: python };
const { status } = spawnSync(node, [join(root, "bench/main.ts"), ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env,
});
process.exit(status ?? 1);
