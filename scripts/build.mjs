// Bundles the compiler into dist/: one small file per command, loaded when it is needed.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { lazyModules } from "./lazy-modules.mjs";
import { buildSnapshots } from "./snapshot.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Built-in modules are loaded when something of them is used. An `import` of one loads it at once, and for `fs` and
 * `process` evaluates every lazy part they have: that took longer than all of `cdrc check`.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const found = process.getBuiltinModule(path);
      const load = `process.getBuiltinModule(${JSON.stringify(path)})`;
      if (typeof found !== "object" || path === "node:process") return { contents: `module.exports = ${load};` };
      const getters = Object.keys(found).map(
        (name) => `get ${JSON.stringify(name)}() { return ${load}[${JSON.stringify(name)}]; }`,
      );
      return { contents: `module.exports = { ${getters.join(", ")} };` };
    });
  },
};

/** Files of other tools, and folders, are read by modules of their own, so that a check of `.cdr` does not load them. */
const foreignApart = {
  name: "foreign-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/(?:foreign|folder\/found)\.ts$/ }, ({ importer, path }) =>
      importer.endsWith("commands/check.ts")
        ? { path: path === "../foreign.ts" ? "./foreign.mjs" : "./folder.mjs", external: true }
        : undefined,
    );
  },
};

rmSync(join(root, "dist"), { recursive: true, force: true });
const common = {
  absWorkingDir: root,
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Every byte is read, decoded and hashed at each start.
  minify: true,
  sourcemap: "linked",
  legalComments: "none",
  // Its main file is UMD, which hides from esbuild what it requires.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  plugins: [lazyBuiltins, lazyModules(root)],
  // Loaded only to write a report, and too large to be worth bundling.
  external: ["vega", "vega-lite"],
  // CommonJS packages expect these.
  banner: {
    js: [
      "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
      "const __filename = import.meta.filename, __dirname = import.meta.dirname;",
    ].join("\n"),
  },
  logLevel: "warning",
};
await Promise.all([
  build({
    ...common,
    entryPoints: { cdrc: "cli/cdrc.ts", foreign: "cli/foreign.ts", folder: "cli/folder/found.ts" },
    splitting: true,
  }),
  build({ ...common, entryPoints: { check: "cli/check.ts" }, plugins: [...common.plugins, foreignApart] }),
]);
await buildSnapshots(common);
