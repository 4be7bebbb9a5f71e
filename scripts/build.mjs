// Bundles the compiler into dist/: one small file per command, loaded when it is needed.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
rmSync(join(root, "dist"), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { cdrc: "cli/main.ts" },
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  legalComments: "none",
  // Loaded only to write a report, and too large to be worth bundling.
  external: ["vega", "vega-lite"],
  // CommonJS packages expect these.
  banner: {
    js: [
      'import { createRequire as __createRequire } from "node:module";',
      'import { fileURLToPath as __fileURLToPath } from "node:url";',
      "const require = __createRequire(import.meta.url), __filename = __fileURLToPath(import.meta.url), __dirname = import.meta.dirname;",
    ].join("\n"),
  },
  logLevel: "warning",
});
