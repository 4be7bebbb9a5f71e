// The script that a startup snapshot is made from. Nothing can be loaded while that is made, so all of it is one file.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { behindDoors, eagerModules, lazyModules, opening } from "./lazy-modules.mjs";
import { snapshotBuiltins } from "./snapshot-builtins.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Gives what of it is evaluated in any case. `isLean`: what lies behind doors is not in it, but in a script beside it. */
export async function bundleSnapshot(common, command, entry, isLean) {
  const metafile = await (isLean ? bundleApart : bundleWhole)(common, command);
  inLatin1(entry);
  return eagerModules(metafile, `cli/snapshot/${command}.ts`);
}

/** One character outside of Latin-1 doubles the size of the whole source in the heap. */
function inLatin1(file) {
  const escape = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/[\u0080-\uffff]/g, escape));
}

async function bundleWhole(common, command) {
  const open = (said, path) => `(cdrOpened.add(${JSON.stringify(said)}), ${opening(said, path)})`;
  const { metafile } = await build({
    ...script(common),
    entryPoints: { [nameOf(command)]: `cli/snapshot/${command}.ts` },
    plugins: [...libraries, lazyModules(root, open)],
  });
  return metafile;
}

/**
 * A snapshot holds its source, and what lies behind doors is nearly half of that. esbuild finds what both scripts need, in
 * parts of their own; those become parts of the snapshot, which hands them over when a door is opened.
 */
async function bundleApart(common, command) {
  const { metafile, outputFiles } = await build({
    ...script(common),
    banner: {},
    format: "esm",
    outExtension: { ".js": ".mjs" },
    entryPoints: { main: `cli/snapshot/${command}.ts`, doors: "behind-doors" },
    splitting: true,
    write: false,
    plugins: [doorsEntry, ...libraries, lazyModules(root, (said) => `cdrOpen(${JSON.stringify(said)})`)],
  });
  const parts = new Map(outputFiles.map(({ path, text }) => [partName(path), text]));
  const kept = reached(metafile, "main");
  const doors = `${nameOf(command)}-doors`;
  // scripts/snapshot.mjs leaves compiled code beside the script; without it all works, only slower.
  const prelude = `globalThis.cdrParts = {};
  const cdrFound = {};
  let cdrDoors;
  globalThis.cdrOpen = (path) => cdrFound[path] ??= (cdrOpened.add(path), (cdrDoors ??= cdrLoad()).behind[path]);
  const cdrLoad = () => {
    const { existsSync, readFileSync } = require("node:fs");
    const filename = require("node:path").resolve(process.argv[1], "../${doors}.cjs");
    const code = filename + ".code";
    const { Script } = require("node:vm");
    const cachedData = existsSync(code) ? readFileSync(code) : undefined;
    return new Script(readFileSync(filename, "latin1"), { filename, cachedData }).runInThisContext()({});
  };`;
  const said = JSON.stringify;
  await Promise.all([
    build({
      ...script(common, prelude),
      entryPoints: { [nameOf(command)]: "main.mjs" },
      plugins: [
        partsOf((name) => `${parts.get(name)}\ncdrParts[${said(name)}] = () => ${exportsOf(parts.get(name))};`),
      ],
    }),
    build({
      ...script(common),
      banner: { js: "((module) => {" },
      footer: { js: "return module.exports; })" },
      entryPoints: { [doors]: "doors.mjs" },
      plugins: [
        partsOf((name) => (kept.has(name) ? `module.exports = cdrParts[${said(name)}]();` : parts.get(name))),
      ],
    }),
  ]);
  inLatin1(doorsFile(command));
  return metafile;
}

const doorsFile = (command) => join(root, "dist", `${nameOf(command)}-doors.cjs`);

const nameOf = (command) => `snapshot-${command}`;

function script(common, more = "") {
  return {
    ...common,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // A stack trace needs none.
    sourcemap: false,
    metafile: true,
    // The package is found by the script that the command line names, wherever it has been moved to.
    define: { "import.meta.url": "cdrModule.url" },
    banner: {
      js: [
        'const cdrModule = { get url() { return require("node:url").pathToFileURL(process.argv[1]).href; } };',
        "const cdrOpened = new Set();",
        // The stack of an error that is kept for later would hold all that ran while modules were evaluated.
        "Error.stackTraceLimit = 0;",
        more,
      ].join("\n"),
    },
  };
}

const doorsEntry = {
  name: "doors-entry",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^behind-doors$/ }, ({ path }) => ({ path, namespace: "doors-entry" }));
    onLoad({ filter: /.*/, namespace: "doors-entry" }, () => ({ contents: behindDoors(root), resolveDir: root }));
  },
};

/** Without an ending: to esbuild an `.mjs` could not be the CommonJS that hands over what another script holds. */
const partName = (path) => basename(path, ".mjs");

/** The parts of a build that are evaluated with one of them, itself among them: what is imported later may never be. */
function reached({ outputs }, from) {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [partName(path), output]));
  const found = new Set([from]);
  for (const name of found)
    for (const { path, kind } of byName.get(name).imports)
      if (kind !== "dynamic-import" && byName.has(partName(path))) found.add(partName(path));
  return found;
}

/** Parts of a build as the modules of the next one. */
function partsOf(textOf) {
  return {
    name: "parts",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.mjs$/ }, ({ path }) => ({ path: partName(path), namespace: "parts" }));
      onLoad({ filter: /.*/, namespace: "parts" }, ({ path }) => ({ contents: textOf(path) }));
    },
  };
}

/** An object of what a part exports. Its getters are compiled when it is asked for. */
function exportsOf(part) {
  const exported = /export\s*\{([^}]*)\};?\s*$/.exec(part)?.[1].split(",") ?? [];
  const names = exported.map((each) => {
    const [own, other = own] = each.trim().split(/\s+as\s+/);
    return `get ${other}() { return ${own}; }`;
  });
  return `({ ${names.join(", ")} })`;
}

/** What reads files of other tools, and folders, stays out of the snapshot; it is loaded from beside it. */
const apart = {
  "../foreign.ts": { module: "./foreign.mjs", names: ["checkForeignFiles"] },
  "../folder/found.ts": { module: "./folder.mjs", names: ["foundIn", "foundText", "foundDocument"] },
};

const foreignApart = {
  name: "foreign-apart",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.\/(?:foreign|folder\/found)\.ts$/ }, ({ importer, path }) =>
      importer.endsWith("commands/check.ts") ? { path, namespace: "foreign-apart" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "foreign-apart" }, ({ path }) => {
      const { module, names } = apart[path];
      const loaded = `const beside = () => process.getBuiltinModule("node:module").createRequire(process.getBuiltinModule("node:path").resolve(process.argv[1]))("${module}");\n`;
      const given = names.map((name) => `export const ${name} = (...given) => beside().${name}(...given);\n`);
      return { contents: loaded + given.join("") };
    });
  },
};

/** bin/cdrc starts no `plan` from a snapshot that is to draw, and no `check` that is to describe all codes. */
const leftOut = {
  name: "left-out",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/(plan-page\/write|sarif-of)\.ts$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
      contents: "export const writePlanPage = undefined, sarifOf = undefined;",
    }));
  },
};

const text = /(?:"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/.source;
const explained = new RegExp(`\\bexplanation:\\s*${text}(?:\\s*\\+\\s*${text})*`, "g");

/** What `cdrc explain` says of a code is a twentieth of what a check would load, and no check says it. */
const unexplained = {
  name: "unexplained",
  setup({ onLoad }) {
    onLoad(
      { filter: /[\\/](?:compiler[\\/]diagnostics|diagnostics[\\/]catalog)[\\/].*\.ts$/, namespace: "file" },
      ({ path }) => ({
        contents: readFileSync(path, "utf8").replaceAll(explained, 'explanation: ""'),
        loader: "ts",
      }),
    );
  },
};

/** An entry for every character there is: 256 KiB that each check would have to read when it starts. Made as they are needed they mean the same. */
const smallTable = {
  name: "small-table",
  setup({ onLoad }) {
    onLoad({ filter: /fastest-levenshtein.*mod\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace("new Uint32Array(0x10000)", "Object.create(null)"),
      loader: "js",
    }));
  },
};

const libraries = [
  snapshotBuiltins(join(root, "node_modules", "node", "bin", "node")),
  smallTable,
  foreignApart,
  leftOut,
  unexplained,
];
