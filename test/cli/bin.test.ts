import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { allDefinitions } from "../../compiler/diagnostics/index.ts";

const root = join(import.meta.dirname, "../..");
const isBuilt = existsSync(join(root, "dist"));
const blobs = isBuilt ? readdirSync(join(root, "dist")).filter((name) => name.endsWith(".blob")) : [];
const folder = mkdtempSync(join(tmpdir(), "cdr bin 'it' \"$(x)\" -"));
const file = join(folder, "a b.cdr");
writeFileSync(file, "stage s { bach = 1 }\n");
writeFileSync(join(folder, "wide.cdr"), 'stage "寸法🙂" { "é́" bach = 1 }\n');
writeFileSync(join(folder, "environment.cdr"), 'param n: Int = env("CDR_TEST_N")\nassert n == 7\n');
writeFileSync(
  join(folder, "plan.cdr"),
  `import "std/clusters" { dgx_h100 }
model small { family = llama, layers = 4, d_model = 1024, heads = 8, context = 1024 tokens }
data text { from = "text.txt", tokenizer = bytes }
cluster pod extends dgx_h100 { nodes = 2 }
stage pretrain { model = small, data = text, length = 100 steps, batch = 64 samples, optimizer = adamw(lr = 1e-4) }
launch here on pod { target = slurm }
`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function cdrc(program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Ran {
  const { NODE_OPTIONS: _, ...own } = process.env;
  return spawnSync(program, words, { cwd: folder, encoding: "utf8", env: { ...own, ...env } });
}

const bin = join(root, "bin/cdrc");
const plain = (words: readonly string[], env: NodeJS.ProcessEnv = {}): Ran =>
  cdrc(process.execPath, [join(root, "bin/cdrc.mjs"), ...words], env);

/** This package, as far as `cdrc` needs it, under another path; its Node and its bundle are linked. */
function copy(name: string): string {
  const place = join(folder, name);
  mkdirSync(join(place, "bin"), { recursive: true });
  for (const each of ["cdrc", "cdrc.mjs"]) copyFileSync(join(root, "bin", each), join(place, "bin", each));
  chmodSync(join(place, "bin/cdrc"), 0o755);
  cpSync(join(root, "dist"), join(place, "dist"), { recursive: true });
  copyFileSync(join(root, "package.json"), join(place, "package.json"));
  for (const each of ["node_modules", "compiler"]) symlinkSync(join(root, each), join(place, each));
  return place;
}

// Windows has none: scripts/snapshot.mjs.
describe.skipIf(!isBuilt || process.platform === "win32")("cdrc check and plan from a snapshot", () => {
  it("has one for each", () => {
    expect(blobs.map((name) => name.split("-")[0]).toSorted()).toEqual(["check", "plan"]);
  });

  it.each([
    ["text", ["check", "a b.cdr"]],
    ["wide characters", ["check", "wide.cdr"]],
    ["json", ["check", "--json", "a b.cdr"]],
    ["sarif", ["check", "--format", "sarif", "a b.cdr"]],
    ["colours", ["check", "--color", "always", "a b.cdr"]],
    ["a file that is not there", ["check", "no.cdr"]],
    ["an option that is not there", ["check", "--jsno", "a b.cdr"]],
    ["help", ["check", "--help"]],
    ["no file", ["check"]],
  ])("says what the plain way says: %s", (_, words) => {
    const { status, stdout, stderr } = plain(words);
    expect(cdrc(bin, words)).toMatchObject({ status, stdout, stderr });
  });

  it.each([
    ["text", ["plan", "plan.cdr"]],
    ["json", ["plan", "--json", "plan.cdr"]],
    ["colours", ["plan", "--color", "always", "plan.cdr"]],
    ["an engine that splits the model", ["plan", "--set", "pretrain.engine=megatron", "plan.cdr"]],
    ["a mistake", ["plan", "a b.cdr"]],
    ["wide characters", ["plan", "wide.cdr"]],
    ["a file that is not there", ["plan", "no.cdr"]],
    ["help", ["plan", "--help"]],
    ["no file", ["plan"]],
  ])("plans as the plain way does: %s", (_, words) => {
    const { status, stdout, stderr } = plain(words);
    expect(cdrc(bin, words)).toMatchObject({ status, stdout, stderr });
  });

  it("draws a plan, which no snapshot can", () => {
    const { status, stderr } = cdrc(bin, ["plan", "--html", "plan.html", "plan.cdr"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "plan.html\n" });
    expect(readFileSync(join(folder, "plan.html"), "utf8")).toContain("<svg");
  });

  it("says the same of every example and every case, whatever of the bundle they need", () => {
    const files = ["examples", "test/baselines"].flatMap((part) =>
      readdirSync(join(root, part), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".cdr") && !path.startsWith("runs/"))
        .map((path) => join(root, part, path)),
    );
    const words = ["check", "--json", ...files];
    expect(files.length).toBeGreaterThan(100);
    const { status, stdout } = plain(words);
    expect(cdrc(bin, words)).toMatchObject({ status, stdout });
  }, 300_000);

  it("holds nothing that the check of a plain file does without", () => {
    const { bytes, opened, ofNode, modules } = JSON.parse(
      readFileSync(join(root, "dist/snapshot-check.json"), "utf8"),
    ) as {
      readonly bytes: number;
      readonly opened: readonly string[];
      readonly ofNode: readonly string[];
      readonly modules: Readonly<Record<string, number>>;
    };
    expect(opened).toEqual([]);
    expect(ofNode).toContain("fs");
    expect(ofNode.filter((name) => /^(child_process|crypto|net|os|perf_hooks)$/.test(name))).toEqual([]);
    const paths = Object.keys(modules);
    expect(paths).toContain("dsl/syntax/parse.ts");
    const others =
      /handlebars|string-width|js-yaml|unbash|engines\/(megatron|deepspeed)\/(rules|versions|demands|models)|^compiler\/foreign/;
    expect(paths.filter((path) => others.test(path))).toEqual([]);
    // What only `cdrc explain` says; a text is searched for by what no escape could change.
    const script = readFileSync(join(root, "dist/snapshot-check.cjs"), "utf8");
    expect(script).toContain("cdr/size-divisibility");
    const plainStart = /^[\w ,.]{30,}/;
    const explained = allDefinitions.filter(({ explanation }) => {
      const [start] = plainStart.exec(explanation) ?? [];
      return start !== undefined && script.includes(`"${start}`);
    });
    expect(explained.map(({ code }) => code)).toEqual([]);
    // Each megabyte is about a tenth of what a Node takes that does nothing; bench check.
    expect(bytes).toBeLessThan(5_400_000);
  });

  it("has compiled code of what lies behind doors, which a check that opens one takes", () => {
    const hook = join(folder, "taken.cjs");
    writeFileSync(
      hook,
      `const vm = require("node:vm");
vm.Script = class extends vm.Script {
  constructor(...given) {
    super(...given);
    process._rawDebug("rejected: " + this.cachedDataRejected);
  }
};
`,
    );
    const [, flags = ""] =
      /"\$node" (--.*?) --snapshot-blob/.exec(readFileSync(join(root, "bin/cdrc"), "utf8")) ?? [];
    const blob = blobs.find((name) => name.startsWith("check-")) ?? "";
    const started = ["--snapshot-blob", join(root, "dist", blob), join(root, "dist/snapshot-check.cjs")];
    const node = join(root, "node_modules/node/bin/node");
    const { stderr } = cdrc(node, [...flags.split(" "), "--require", hook, ...started, "check", "plan.cdr"]);
    expect(stderr).toContain("rejected: false");
  });

  it("hides from what it starts how it was started itself", () => {
    const set = /GLIBC_TUNABLES-(.*?)\}/.exec(readFileSync(join(root, "bin/cdrc"), "utf8"))?.[1];
    expect(readFileSync(join(root, "cli/snapshot/start.ts"), "utf8")).toContain(`"${set}"`);
  });

  it("reads the environment of now", () => {
    const words = ["check", "environment.cdr"];
    const said = ["7", "8"].map((n) => cdrc(bin, words, { CDR_TEST_N: n }).stderr);
    expect(said).toEqual(["7", "8"].map((n) => plain(words, { CDR_TEST_N: n }).stderr));
    expect(said[0]).not.toBe(said[1]);
    expect(cdrc(bin, words, { CDR_TEST_N: "7", NODE_OPTIONS: "--max-old-space-size=2048" }).stderr).toBe(said[0]);
  });

  it.each(["absolute", "relative"] as const)("runs through a link, %s,, whatever its path is called", (kind) => {
    const link = join(folder, `${kind} link`);
    symlinkSync(kind === "absolute" ? bin : relative(folder, bin), link);
    const ran = cdrc(link, ["check", file, "--stats"]);
    expect(ran.stderr).toContain("read and bind");
    expect(ran.status).toBe(1);
  });

  it("runs from a package that was moved", () => {
    const place = copy("moved");
    expect(cdrc(join(place, "bin/cdrc"), ["check", file]).stderr).toBe(cdrc(bin, ["check", file]).stderr);
  });

  it("goes the plain way where Node refuses the snapshot, and says nothing of it the second time", () => {
    const place = copy("refused");
    for (const blob of blobs) writeFileSync(join(place, "dist", blob), "not a snapshot");
    const program = join(place, "bin/cdrc");
    expect(cdrc(program, ["check", file]).status).toBe(1);
    expect(cdrc(program, ["check", file])).toMatchObject({ status: 1, stderr: plain(["check", file]).stderr });
  });

  it("goes the plain way where there is none", () => {
    const place = copy("without");
    for (const blob of blobs) rmSync(join(place, "dist", blob));
    const { status, stdout, stderr } = plain(["check", file]);
    expect(cdrc(join(place, "bin/cdrc"), ["check", file])).toMatchObject({ status, stdout, stderr });
  });
});
