/** `cdrc check` and `cdrc import` of a folder. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { foundIn } from "../../cli/folder/found.ts";
import { cdrc } from "../support/cdrc.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cdr-folder-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function lay(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Paths as they are below the folder. */
function found(words: readonly string[], given: readonly string[] = [], exclude: readonly string[] = []) {
  const at = (name: string): string => join(folder, name);
  const result = foundIn(words.map(at), given.map(at), { exclude });
  if ("misuse" in result) throw new Error(result.misuse);
  const below = (path: string): string => relative(folder, path);
  return {
    diagnostics: result.diagnostics.map(({ code, span }) => ({ code, file: below(span.source.path) })),
    folders: result.folders.map(({ own, launches, passed, open }) => ({
      own: own.map(below),
      launches: launches.map(({ files }) => files.map(below)),
      passed: Object.fromEntries([...passed].map(([why, paths]) => [why, paths.map(below)])),
      open,
    })),
  };
}

const train = (config: string): string => `torchrun --nproc-per-node 8 train.py --bf16 --deepspeed ${config}\n`;
const wrong = '{"train_micro_batch_size_per_gpu": 4, "zero_optimisation": {"stage": 3}}';

it("judges every launch by itself, with the files that it names from where it stands or from the folder", () => {
  lay({
    "scripts/near.sh": train("near.json"),
    "scripts/near.json": wrong,
    "scripts/far.sh": train("configs/far.json"),
    "configs/far.json": wrong,
    "sft.yaml": "stage: sft\nfinetuning_type: lora\ndeepspeed: configs/lf.json\n",
    "configs/lf.json": wrong,
    "alone.json": wrong,
    "small.cdr": "let a: Int = 1.5\n",
    "package.json": "{}",
    "build.sh": "make\n",
    "env.sh": "export A=1\n",
  });
  const { folders, diagnostics } = found(["."]);
  expect(folders).toMatchObject([
    {
      own: ["small.cdr"],
      launches: [
        ["scripts/far.sh", "configs/far.json"],
        ["scripts/near.sh", "scripts/near.json"],
        ["alone.json"],
        ["sft.yaml", "configs/lf.json"],
      ],
      passed: {
        "of no launch": ["package.json"],
        "scripts that start no known training": ["build.sh", "env.sh"],
      },
    },
  ]);
  const misspelt = diagnostics.filter(({ code }) => code === "cdr/deepspeed-ignored").map(({ file }) => file);
  expect(misspelt.toSorted()).toEqual(["alone.json", "configs/far.json", "configs/lf.json", "scripts/near.json"]);
  // Nobody can answer for all launches at once.
  expect(folders[0]?.open).toBeGreaterThan(0);
  expect(diagnostics.some(({ code }) => code === "cdr/foreign-unknown")).toBe(false);

  const { code, out } = cdrc(["check", ".", "--json"], { cwd: folder });
  const told = JSON.parse(out) as { diagnostics: { file: string }[]; folders: { cdr: string[]; files: number }[] };
  expect(code).toBe(1);
  expect(told.folders).toMatchObject([{ cdr: ["small.cdr"], files: 11 }]);
  expect(new Set(told.diagnostics.map(({ file }) => file))).toContain("small.cdr");
});

it("leaves out what git and patterns leave out, packages, bundles and links, and says so", () => {
  execFileSync("git", ["init", "-q"], { cwd: folder });
  const script = "torchrun train.py\n";
  lay({
    ".gitignore": "/out\n*.tmp.sh\n!kept.tmp.sh\n",
    "part/.gitignore": "local.sh\n",
    "part/local.sh": script,
    "part/run.sh": script,
    "part/kept.tmp.sh": script,
    "part/a.tmp.sh": script,
    "out/run.sh": script,
    "old/run.sh": script,
    "node_modules/p/run.sh": script,
    "env/pyvenv.cfg": "",
    "env/run.sh": script,
    "bundle/plan.json": "{}",
    "bundle/manifest.json": "{}",
    "bundle/run.sh": script,
  });
  symlinkSync("run.sh", join(folder, "part/link.sh"));
  const { folders } = found(["."], [], ["old"]);
  expect(folders[0]?.launches).toEqual([["part/kept.tmp.sh"], ["part/run.sh"]]);
  expect(folders[0]?.passed.links).toEqual(["part/link.sh"]);
  const { code, err } = cdrc(["check", ".", "--exclude", "old"], { cwd: folder });
  expect(code).toBe(0);
  expect(err).toContain(".: 2 launches among");
  expect(err).toContain("left out by patterns (4)");
  expect(err).toContain("links (1)");
  // Patterns of the folders above count; who names a folder that they leave out means it.
  expect(found(["part"]).folders[0]?.launches).toHaveLength(2);
  expect(found(["out"]).folders[0]?.launches).toHaveLength(1);
});

it("judges a file once, however it is named, and says what an empty folder held", () => {
  lay({ "a/run.sh": "torchrun train.py\n", "b/notes.txt": "", "b/build.sh": "make\n" });
  expect(found(["a"], ["a/run.sh"]).folders[0]?.launches).toEqual([]);
  expect(found(["a", "."]).folders.map(({ launches }) => launches.length)).toEqual([1, 0]);
  const { code, err } = cdrc(["check", "b"], { cwd: folder });
  expect(code).toBe(2);
  expect(err).toBe(
    "cdrc: b holds no .cdr file and no launch among its 2 files: scripts that start no known training (1)\n",
  );
});

it("imports the one launch of a folder, and lists several", () => {
  lay({
    "run.sh": `${train("ds.json")}`,
    "ds.json": '{"zero_optimization": {"stage": 2}, "bf16": {"enabled": true}}',
  });
  expect(cdrc(["import", ".", "--world", "8"], { cwd: folder }).out).toContain("stage");
  lay({ "other.sh": "torchrun other.py\n" });
  const { code, err } = cdrc(["import", "."], { cwd: folder });
  expect(code).toBe(2);
  expect(err).toContain("name one of other.sh, run.sh");
});
