import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { expect, it } from "vitest";
import { readShell } from "../../../compiler/foreign/shell/read.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { randomScript } from "../../support/random-shell.ts";

const count = 300;
const seeds = Array.from({ length: count }, (_, seed) => seed);

/** Programs that tell their words instead of running. */
const programs = `
run() { { printf 'run\\0'; for each; do printf '%s\\0' "$each"; done; printf '\\n\\0'; } >> "$OUT"; }
srun() { while [[ $1 == -* ]]; do shift; done; "$@"; }
sbatch() { while [[ $1 == -* ]]; do shift; done; bash "$@"; }
export -f run srun sbatch
`;

/** The words of the last `run` of each script, as bash has them; `null` where it ended before one, or told of a mistake in the script. */
function asBash(): readonly (readonly string[] | null)[] {
  const folder = mkdtempSync(join(tmpdir(), "cdr-shell-"));
  try {
    for (const seed of seeds) {
      mkdirSync(join(folder, String(seed), "sub"), { recursive: true });
      for (const [path, text] of Object.entries(randomScript(seed).files))
        writeFileSync(join(folder, String(seed), path), text);
    }
    const each = `for seed in {0..${count - 1}}; do cd ${folder}/$seed; : > out; (export OUT=$PWD/out; ulimit -t 3; . ./main.sh > /dev/null 2> err < /dev/null); done`;
    const env = { PATH: "/usr/bin:/bin", HOME: folder, LC_ALL: "C" };
    const { status } = spawnSync("bash", ["--norc", "-c", programs + each], { env });
    expect(status).not.toBeNull();
    return seeds.map((seed) => {
      const file = (name: string): string => readFileSync(join(folder, String(seed), name), "utf8");
      if (/substring expression|division by|error token|invalid|unbound|bad /.test(file("err"))) return null;
      return (
        file("out")
          .split("\0\n\0")
          .filter((words) => words !== "")
          .map((words) => words.split("\0"))
          .at(-1) ?? null
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The words of the last `run`, `null` for what isn't known; `null` where nobody knows whether it runs. */
function asRead(files: Readonly<Record<string, string>>): readonly (string | null)[] | null {
  const read = (path: string): Source | undefined => {
    const text = files[normalize(path)];
    return text === undefined ? undefined : { path: normalize(path), text };
  };
  const { commands } = readShell({ path: "main.sh", text: files["main.sh"] ?? "" }, new Map(), read);
  const last = commands.findLast(({ words }) => words[0]?.text === "run");
  return last?.certain === true ? last.words.map(({ text }) => text) : null;
}

/** What isn't known may be any number of words, and behind the name of an option its value. */
function fits(read: readonly (string | null)[], real: readonly string[]): boolean {
  const [first, ...rest] = read;
  if (first === undefined) return real.length === 0;
  if (first === null)
    return Array.from({ length: real.length + 1 }, (_, at) => at).some((at) => fits(rest, real.slice(at)));
  if (real[0] === first && fits(rest, real.slice(1))) return true;
  return rest[0] === null && real[0]?.startsWith(`${first}=`) === true && fits(rest, real.slice(1));
}

it("expands random scripts, and those that they call, as bash does or says that it doesn't know", () => {
  const real = asBash();
  const compared = seeds.flatMap((seed) => {
    const [bash, read] = [real[seed] ?? null, asRead(randomScript(seed).files)];
    return bash === null || read === null ? [] : [{ seed, bash, read }];
  });
  expect(compared.filter(({ bash, read }) => !fits(read, bash))).toEqual([]);
  // Silence would pass as well.
  expect(compared.length).toBeGreaterThan(count * 0.75);
  expect(compared.filter(({ read }) => !read.includes(null)).length).toBeGreaterThan(count * 0.5);
}, 300_000);
