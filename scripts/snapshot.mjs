// Makes the V8 startup snapshots that bin/cdrc starts `check` and `plan` from. Without one everything works, only slower; so
// whatever goes wrong here is said and leaves none.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleSnapshot } from "./snapshot-bundle.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, "node_modules", "node");
/** As in bin/cdrc: a snapshot starts only under the flags that it was made with. */
const flags = ["--no-sparkplug", "--no-rehash-snapshot"];
/** A warning would be said on a stream, and what a stream is made of would be kept. cli/snapshot/start.ts says what is called of Node's own. */
const building = ["--no-warnings", "--expose-internals"];

/** By the command that starts from it: what is run of it to see that it starts, and whether all of it has to be there at once. */
const snapshots = {
  check: { words: ["examples/quickstart.cdr"], lean: true },
  plan: { words: ["examples/quickstart.cdr"], lean: false },
};

export async function buildSnapshots(common) {
  if (process.platform === "win32" || !existsSync(join(home, "bin", "node"))) return;
  for (const [command, how] of Object.entries(snapshots)) await buildSnapshot(common, command, how);
}

async function buildSnapshot(common, command, { words, lean: isLean }) {
  const node = join(home, "bin", "node");
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const file = (ending) => join(root, "dist", `snapshot-${command}.${ending}`);
  const [entry, whole, lean] = [file("cjs"), file("whole"), file("lean")];
  // One that starts says 0 or 1, whatever it thinks of the file.
  const start = (blob) => run(node, [...flags, "--snapshot-blob", blob, entry, command, ...words], [0, 1]);
  try {
    const modules = await bundleSnapshot(common, command, entry, isLean);
    const said = run(node, [...flags, ...building, "--snapshot-blob", whole, "--build-snapshot", entry]);
    const listed = (title) =>
      new RegExp(`^${title}: (.*)$`, "m")
        .exec(said)?.[1]
        .split(" ")
        .filter((name) => name !== "") ?? [];
    const opened = listed("opened");
    for (const path of isLean ? opened : []) {
      process.stderr.write(`build: a check of the quickstart loads ${path}, which the snapshot should do without\n`);
    }
    start(whole);
    const stripped = withoutCodeCache(readFileSync(whole));
    let best = whole;
    if (stripped !== null) {
      writeFileSync(lean, stripped);
      try {
        start(lean);
        best = lean;
      } catch {
        // The whole one works.
      }
    }
    writeFileSync(
      file("json"),
      `${JSON.stringify({ bytes: statSync(best).size, opened, ofNode: listed("of Node"), modules: Object.fromEntries(modules) }, null, 2)}\n`,
    );
    const blob = join(root, "dist", `${command}-${version}.blob`);
    renameSync(best, blob);
    if (isLean) keepCode(node, blob, entry, command);
  } catch (error) {
    process.stderr.write(`build: no startup snapshot (${error.message}); \`cdrc ${command}\` starts without one\n`);
  }
  for (const left of [whole, lean]) rmSync(left, { force: true });
}

/**
 * Compiled code of what lies behind doors, as a check has it that opened many of them. It fits only the snapshot that the check started
 * from, so that one such check writes its own.
 */
function keepCode(node, blob, entry, command) {
  const hook = join(root, "scripts", "keep-code.cjs");
  const examples = ["zero3", "research-platform/everything"].map((name) => `examples/${name}.cdr`);
  run(node, [...flags, "--require", hook, "--snapshot-blob", blob, entry, command, ...examples], [0, 1]);
}

function run(command, args, right = [0]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (!right.includes(status)) throw error ?? new Error(stderr.trim().split("\n").at(-1) ?? `exit code ${status}`);
  return stdout;
}

/**
 * The snapshot without its last part, the compiled code of Node's own modules: a check calls few of them, and they are
 * half of what is read at each start. The part is a count, then as many names and codes, each after its length, up to the
 * end of the file. `null` where the file does not end like that.
 */
function withoutCodeCache(blob) {
  const reads = (at) => {
    const count = Number(blob.readBigUInt64LE(at));
    if (count < 100 || count > 2000) return false;
    let next = at + 8;
    for (let field = 0; field < 2 * count; field++) {
      if (next + 8 > blob.length) return false;
      next += 8 + Number(blob.readBigUInt64LE(next));
    }
    return next === blob.length;
  };
  for (let at = blob.length - 8; at >= 0; at--) {
    if (blob[at + 7] === 0 && reads(at)) return Buffer.concat([blob.subarray(0, at), Buffer.alloc(8)]);
  }
  return null;
}
