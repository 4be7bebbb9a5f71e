// Builds the playground: `npm run playground` writes a page to dist/playground that needs no server. Its own packages are installed in
// editor/playground, and only there: nothing else needs them. A folder to write to may be given.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, posix, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { node, root } from "./setup.mjs";

const folder = join(root, "editor/playground");
const packages = join(folder, "node_modules");
const run = (command, args, cwd = folder) => execFileSync(command, args, { cwd, stdio: ["ignore", 2, 2] });

export function installPlayground() {
  const lock = join(folder, "package-lock.json");
  const installed = join(packages, ".package-lock.json");
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs)
    run("npm", ["ci", "--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts"]);
}

/** Writes the page to a folder. */
export async function buildPlayground(out) {
  installPlayground();
  const common = {
    absWorkingDir: folder,
    bundle: true,
    platform: "browser",
    target: "es2024",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [withoutNode, virtual({ ...(await dataModules()) })],
  };
  const worker = async (entry) => {
    const { outputFiles } = await build({ ...common, entryPoints: [entry], format: "iife", write: false });
    return asText(outputFiles[0].text);
  };
  const [server, editor] = await Promise.all([
    worker("src/worker.ts"),
    worker(join(packages, "monaco-editor/esm/vs/editor/editor.worker.js")),
  ]);
  const workers = { "virtual:worker/worker": server, "virtual:worker/editor": editor };
  mkdirSync(out, { recursive: true });
  await build({
    ...common,
    plugins: [...common.plugins, virtual(workers)],
    entryPoints: { page: "src/page.ts" },
    outdir: out,
    // A page that was opened from a folder may load no module and no font from a file.
    format: "iife",
    loader: { ".ttf": "dataurl" },
  });
  cpSync(join(folder, "src/index.html"), join(out, "index.html"));
}

/** The compiler asks Node for paths and for files of its own package; a page has the ones that it was built with. */
const withoutNode = {
  name: "without-node",
  setup({ onResolve }) {
    onResolve({ filter: /^node:path$/ }, () => ({ path: join(packages, "path-browserify/index.js") }));
    onResolve({ filter: /^node:fs$|\/package-root\.ts$/ }, () => ({ path: join(folder, "src/package-files.ts") }));
  },
};

const asText = (value) => `export default ${JSON.stringify(value)};`;

/** Modules that are written here. */
const virtual = (modules) => ({
  name: "virtual",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^virtual:/ }, ({ path }) => (path in modules ? { path, namespace: "virtual" } : undefined));
    onLoad({ filter: /.*/, namespace: "virtual" }, ({ path }) =>
      path in modules ? { contents: modules[path], loader: "js" } : undefined,
    );
  },
});

async function dataModules() {
  const { vocabulary, standardFiles } = await import("./playground-words.ts");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    "virtual:vocabulary": asText(vocabulary()),
    "virtual:package-files": asText(standardFiles(root)),
    "virtual:examples": asText(examples()),
    "virtual:version": asText(version),
  };
}

/** Files to begin with: those of `examples/` that hold a stage or that no other file imports, each with what it imports. */
function examples() {
  const folder = join(root, "examples");
  const own = readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".cdr") && !path.startsWith("runs/"));
  const texts = new Map(own.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const importsOf = (path) =>
    [...texts.get(path).matchAll(/^\s*import\s+"([^"]+)"/gm)]
      .map(([, to]) => posix.join(posix.dirname(path), to))
      .filter((to) => texts.has(to));
  const imported = new Set(own.flatMap(importsOf));
  const reached = (path, seen = new Set()) => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const next of importsOf(path)) reached(next, seen);
    return seen;
  };
  const order = ["quickstart.cdr", "finetune.cdr", "zero3.cdr"];
  const rank = (path) =>
    path.includes("/") ? order.length + 1 : (order.indexOf(path) + order.length + 1) % (order.length + 1);
  return own
    .filter((path) => !imported.has(path) || /^stage\s/m.test(texts.get(path)))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((path) => {
      const group = path.includes("/") ? dirname(path) : "";
      const name = (each) => relative(join("/", group), join("/", each)).replaceAll("\\", "/");
      const files = [...reached(path)];
      return {
        group,
        main: basename(path),
        files: Object.fromEntries(files.map((each) => [name(each), texts.get(each)])),
      };
    });
}

if (process.argv[1] === import.meta.filename) {
  installPlayground();
  run(node, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", folder]);
  const out = process.argv[2] ?? join(root, "dist/playground");
  await buildPlayground(out);
  const page = join(out, "index.html");
  process.stderr.write(
    `open ${pathToFileURL(page)} in a browser, or serve ${relative(process.cwd(), out)} from anywhere\n`,
  );
  process.stdout.write(`${page}\n`);
}
