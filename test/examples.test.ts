/** What the comments of `examples/` tell the reader to type does what it says, in the folder of the file that says it. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { cdrc, root } from "./support/cdrc.ts";

interface Said {
  readonly file: string;
  readonly text: string;
  readonly words: readonly string[];
}

const quoted = /`((?:cdrc |--)[^`]+)`/g;
const wordsOf = (text: string): string[] =>
  (text.match(/(?:"[^"]*"|[^ "])+/g) ?? []).map((word) => word.replaceAll('"', ""));

/** A command as it is written, a run without being started; options alone are of a check of the file itself. */
function saidIn(file: string): Said[] {
  const comments = readFileSync(join(root, file), "utf8").match(/\/\/.*$/gm) ?? [];
  return comments.flatMap((comment) =>
    [...comment.matchAll(quoted)].map(([, text = ""]) => {
      const [first = "", ...rest] = wordsOf(text);
      const command = first === "cdrc" ? rest : ["check", basename(file), first, ...rest];
      return { file, text, words: command[0] === "run" ? [...command, "--dry-run"] : command };
    }),
  );
}

const files = globSync("examples/{*,*/*}.cdr", { cwd: root }).sort();
const said = files.flatMap(saidIn);

const tested = files.filter((file) => /^test "/m.test(readFileSync(join(root, file), "utf8")));

describe("tests in examples", () => {
  it("there are some", () => {
    expect(tested.length).toBeGreaterThan(2);
  });
  it.each(tested)("pass: %s", { timeout: 300_000 }, (file) => {
    const { code, out, err } = cdrc(["test", file]);
    expect({ code, told: code === 0 ? "" : out + err }).toEqual({ code: 0, told: "" });
  });
});

describe("commands in the comments of examples", () => {
  it("there are some", () => {
    expect(said.length).toBeGreaterThan(5);
  });
  it.each(said)("$file: $text", ({ file, words }) => {
    const { code, out, err } = cdrc(words, { cwd: join(root, dirname(file)) });
    expect({ code, told: code === 0 ? "" : out + err }).toEqual({ code: 0, told: "" });
  });
  it.each(["dense", "hybrid", "nano"])("%s fits the one card of the prototype, with room to spare", (base) => {
    const { code, out, err } = cdrc(["check", "examples/nemotron-cpt/prototype.cdr", "--set", `base=${base}`]);
    expect(`${code} ${out}${err}`).not.toMatch(/^[1-9]|memory-/);
  });
});
