/** `cdrc lock` and `cdrc test`, as they are called. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "cdr-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

function cdrc(...words: string[]) {
  const run = spawnSync(process.execPath, [join(root, "cli/cdrc.ts"), ...words], { cwd: folder, encoding: "utf8" });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

mkdirSync(join(folder, "x"));
writeFileSync(join(folder, "x/a.txt"), "one\n");
writeFileSync(
  join(folder, "more.cdr"),
  "model small { family = llama, layers = 2, d_model = 64, heads = 2, context = 64 tokens }\n",
);
writeFileSync(
  join(folder, "main.cdr"),
  `/// A file with tests.
edition = 2026
import "./more.cdr" { small }
enum Kind { big, little }
param kind: Kind = big
param width: Int in 1..8 = 2
data web { from = "x/*.txt" }
stage s {
  model = small, data = web, length = 5 steps, batch = if kind == big then 8 samples else 4 samples
  optimizer = adamw(lr = 1e-3)
}
overlay short { stage { length = 2 steps } }
sweep kinds { stage = s, vary { kind in Kind, optimizer.lr in [1e-3, 1e-4] } }
test "holds" { assert s.batch == 8 samples }
test "over a sweep" { over = kinds, assert s.batch in [4 samples, 8 samples] }
test "amended" { with = short, width = 5, s.layout.micro_batch = 2 samples, assert s.length == 2 steps and width == 5 }
test "does not hold" { assert width == 3 }
`,
);
writeFileSync(
  join(folder, "wrong.cdr"),
  `import "./more.cdr" { small }
param width: Int in 1..8 = 2
data web { from = "x/*.txt" }
test "out of range" { width = 9, assert width > 1 }
test "no such block" { stge.length = 3, over = nothing }
test "holds" { assert width == 2 }
`,
);

it("runs tests over sweeps, overlays and amendments", () => {
  const all = cdrc("test", "main.cdr", "--json");
  expect(all.code).toBe(1);
  const document = JSON.parse(all.out) as {
    tests: { name: string; passed: boolean; point: object; asserts: { outcome: string; values: string }[] }[];
    summary: object;
  };
  expect(document.summary).toEqual({ passed: 6, failed: 1 });
  expect(document.tests.filter((t) => t.name === "over a sweep").map((t) => t.point)).toEqual([
    { kind: "big", "s.optimizer.lr": "0.001" },
    { kind: "big", "s.optimizer.lr": "1e-4" },
    { kind: "little", "s.optimizer.lr": "0.001" },
    { kind: "little", "s.optimizer.lr": "1e-4" },
  ]);
  expect(document.tests.find((t) => t.name === "does not hold")?.asserts).toMatchObject([
    { outcome: "failed", values: "2 == 3" },
  ]);
  expect(cdrc("test", "main.cdr", "holds", "amended").code).toBe(0);
  expect(cdrc("test", "main.cdr", "absent").code).toBe(2);
  expect(cdrc("check", "main.cdr", "--set", "width=2", "--set", "width=3").code).toBe(2);
});

it("types tests where they stand", () => {
  const told = cdrc("check", "wrong.cdr", "--json").out;
  expect(told).toContain("must be in 1..8");
  expect(told).toContain("nothing is called `nothing` here");
  expect(cdrc("test", "wrong.cdr", "holds").out).toContain("passed  holds");
});

it("locks what is read, and warns when it has changed", () => {
  expect(cdrc("lock", "--check", "main.cdr").code).toBe(2);
  expect(cdrc("lock", "main.cdr").code).toBe(0);
  const first = readFileSync(join(folder, "main.cdr.lock"), "utf8");
  expect(cdrc("lock", "main.cdr").code).toBe(0);
  expect(readFileSync(join(folder, "main.cdr.lock"), "utf8")).toBe(first);
  expect(cdrc("lock", "--check", "main.cdr").code).toBe(0);
  expect(cdrc("check", "main.cdr").err).not.toContain("lock");
  appendFileSync(join(folder, "x/a.txt"), "two\n");
  appendFileSync(join(folder, "more.cdr"), "// changed\n");
  const told = (JSON.parse(cdrc("check", "main.cdr", "--json").out) as { diagnostics: { code: string }[] })
    .diagnostics;
  expect(told.map((d) => d.code)).toEqual(["cdr/lock-changed", "cdr/lock-changed"]);
  expect(cdrc("lock", "--check", "main.cdr").code).toBe(1);
  writeFileSync(join(folder, "main.cdr.lock"), "{}");
  const codes = (JSON.parse(cdrc("check", "main.cdr", "--json").out) as { diagnostics: { code: string }[] })
    .diagnostics;
  expect(codes.map((d) => d.code)).toEqual(["cdr/lock-unreadable"]);
});

it("locks the revisions of tokenizers, and folders of them as paths", () => {
  const tokenizers = ['hf("gpt2", revision = "607a30d")', 'hf("meta-llama/Llama-3.1-8B")', 'hf("./x")'];
  const blocks = tokenizers.map(
    (tokenizer, index) => `data d${index} { from = "x/*.txt", tokenizer = ${tokenizer} }`,
  );
  writeFileSync(join(folder, "hub.cdr"), `${blocks.join("\n")}\n`);
  expect(cdrc("lock", "hub.cdr").code).toBe(0);
  const lock = JSON.parse(readFileSync(join(folder, "hub.cdr.lock"), "utf8")) as { hub: object; paths: object };
  expect(lock.hub).toEqual({ "hf://gpt2": "607a30d", "hf://meta-llama/Llama-3.1-8B": null });
  expect(Object.keys(lock.paths)).toEqual(["./x", "x/*.txt"]);
});

it("locks the digests of images that are written, and takes no image for a path", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  writeFileSync(
    join(folder, "images.cdr"),
    `image loose { from = "docker.io/library/python:3.11" }\nimage pinned { from = "nvcr.io/nvidia/pytorch:25.08-py3@${digest}" }\n`,
  );
  const made = cdrc("lock", "images.cdr");
  expect(made.code).toBe(0);
  expect(made.err).toContain("docker.io/library/python:3.11 has no digest");
  expect(made.err).not.toContain("pytorch:25.08-py3 has no digest");
  const place = join(folder, "images.cdr.lock");
  const lock = JSON.parse(readFileSync(place, "utf8")) as { images: object; paths: object };
  expect(lock.images).toEqual({ "docker.io/library/python:3.11": null, "nvcr.io/nvidia/pytorch:25.08-py3": digest });
  expect(lock.paths).toEqual({});
  expect(cdrc("lock", "--check", "images.cdr").code).toBe(0);
  writeFileSync(place, readFileSync(place, "utf8").replace(digest, digest.replaceAll("0", "1")));
  expect(cdrc("lock", "--check", "images.cdr").code).toBe(1);
});
