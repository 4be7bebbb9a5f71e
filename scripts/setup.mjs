// Everything a fresh clone needs: Node packages (with a Node of their own), the bundled compiler, the Python environment.
// Runs on any Node from 20 without dependencies, shows what it does, and costs milliseconds when there is nothing to do.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const node = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

const say = (text) => process.stderr.write(`setup: ${text}\n`);
const digest = (text) => createHash("sha256").update(text).digest("hex");

/** Does `work` unless the stamp of that name already holds `key`. */
function once(name, key, words, work) {
  const stamp = join(root, "node_modules", ".cache", "cdr", name);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
  const start = Date.now();
  say(words);
  work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, key);
  say(`${name} ready (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

function run(command, args, hint) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  say(`\`${[command, ...args].join(" ")}\` failed${error ? `: ${error.message}` : ""}. ${hint}`);
  process.exit(1);
}

export function setupNode() {
  const key = digest(readFileSync(join(root, "package-lock.json")));
  once("packages", key, "installing Node packages (npm ci)", () => {
    run("npm", ["ci", "--loglevel=error", "--no-audit", "--no-fund"], "Is the npm registry reachable?");
    if (!existsSync(node))
      run(
        process.execPath,
        [join(root, "node_modules/node/installArchSpecificPackage.js")],
        "The package `node` brings Node 24.",
      );
  });
}

/** Paths, sizes and times of everything that the bundle is made of. */
function sourceKey() {
  const lines = [];
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (/\.(ts|json)$/.test(entry.name)) add(path);
    }
  };
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    lines.push(`${path} ${size} ${mtimeMs}`);
  };
  for (const folder of ["dsl", "compiler", "runtime", "cli"]) walk(folder);
  for (const script of ["build", "snapshot", "lazy-modules"]) add(`scripts/${script}.mjs`);
  return digest(lines.join("\n"));
}

export function setupBuild() {
  const built = existsSync(join(root, "dist/cdrc.mjs"));
  once("cdrc", built ? sourceKey() : "", "building cdrc", () =>
    run(node, [join(root, "scripts/build.mjs")], "The sources do not build."),
  );
  if (!built) writeFileSync(join(root, "node_modules/.cache/cdr/cdrc"), sourceKey());
}

/** The interpreter of the trainer's environment. */
export function setupPython() {
  const result = spawnSync("sh", [join(root, "trainer/provision.sh")], {
    cwd: root,
    stdio: ["ignore", "pipe", 2],
    encoding: "utf8",
  });
  if (result.status !== 0) process.exit(1);
  return result.stdout.trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setupNode();
  setupBuild();
  setupPython();
  say(`node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}, cdrc ready: npx cdrc --help`);
}
