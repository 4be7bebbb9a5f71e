/** A file is one module, whichever path leads to it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compileFile } from "../../cli/front.ts";
import { cdrc } from "../support/cdrc.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-one-file-"));
  mkdirSync(join(folder, "train"));
  mkdirSync(join(folder, "common"));
  writeFileSync(join(folder, "train/scale.cdr"), "param width: Int = 2\n");
  writeFileSync(join(folder, "common/base.cdr"), 'import "../train/scale.cdr" as scale\nlet base = scale.width\n');
  writeFileSync(
    join(folder, "train/main.cdr"),
    'import "./scale.cdr" { width }\nimport "../common/base.cdr" { base }\nimport "./../train/scale.cdr" as again\nassert base == width\nassert again.width == width\n',
  );
  writeFileSync(join(folder, "train/more.cdr"), 'import "./scale.cdr" as scale\nlet more = scale.width\n');
  writeFileSync(join(folder, "train/broken.cdr"), "let wrong = nobody\n");
  for (const name of ["a", "b"])
    writeFileSync(join(folder, `train/${name}.cdr`), 'import "./broken.cdr" as broken\nlet mine = broken.wrong\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("is read once from its own folder, from another one, and beside a full path", () => {
  const whole = join(folder, "train/main.cdr");
  const short = relative(process.cwd(), whole);
  const more = join(folder, "train/more.cdr");
  for (const path of [whole, short, `./${short}`]) {
    for (const other of [more, relative(process.cwd(), more)]) {
      const compiled = compileFile(path, { set: ["width=7"], with: [other] });
      if ("misuse" in compiled) throw new Error(compiled.misuse);
      expect(compiled.diagnostics.map(({ message }) => message)).toEqual([]);
      expect(compiled.program.modules.size).toBe(4);
    }
  }
});

it("is read once where the command stands in the folder of the file", () => {
  expect(cdrc(["check", "main.cdr", "--set", "width=7"], { cwd: join(folder, "train") })).toMatchObject({ code: 0 });
});

it("is told once what is wrong in it, however many files import it", () => {
  const { out } = cdrc(["check", "a.cdr", "b.cdr", "broken.cdr", "--json"], { cwd: join(folder, "train") });
  expect((JSON.parse(out) as { diagnostics: unknown[] }).diagnostics).toHaveLength(1);
});
