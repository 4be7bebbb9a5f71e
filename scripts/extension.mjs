// Packages the VS Code extension: `npm run extension` writes editor/cdr-language-<version>.vsix. Its own packages are installed here,
// and only here: nothing else needs them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { node, root } from "./setup.mjs";

const folder = join(root, "editor");
const run = (command, args, cwd = folder) => execFileSync(command, args, { cwd, stdio: ["ignore", 2, 2] });

const lock = join(folder, "package-lock.json");
const installed = join(folder, "node_modules/.package-lock.json");
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs)
  run("npm", ["ci", "--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts"]);
run(node, [join(root, "scripts/editor-files.ts")]);
run(node, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", folder]);
await build({
  absWorkingDir: folder,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.cjs",
  bundle: true,
  format: "cjs",
  platform: "node",
  // What VS Code 1.91 runs on.
  target: "node20",
  external: ["vscode"],
  minify: true,
  legalComments: "none",
  logLevel: "warning",
});
const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const out = join(folder, `${name}-${version}.vsix`);
rmSync(out, { force: true });
run(node, [
  join(folder, "node_modules/@vscode/vsce/vsce"),
  ...["package", "--no-dependencies", "--allow-missing-repository", "--out", out],
]);
process.stdout.write(`${out}\n`);
