/** `cdrc check --watch` and `--stats`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cdrc, root } from "../support/cdrc.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-watch-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("checks again when a file or one that it imports changes, until it is interrupted", async () => {
  const [main, part] = [join(folder, "main.cdr"), join(folder, "part.cdr")];
  writeFileSync(main, 'import "./part.cdr" { width }\nassert width > 1\n');
  writeFileSync(part, "let width = 2\n");
  const child = spawn(process.execPath, [join(root, "cli/cdrc.ts"), "check", "--watch", main], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const until = async (words: string): Promise<void> => {
    const end = Date.now() + 20_000;
    while (!said.includes(words)) {
      if (Date.now() > end) throw new Error(`waited for ${words}: ${said}`);
      await new Promise((done) => setTimeout(done, 20));
    }
    said = "";
    // Watching begins once all is said.
    await new Promise((done) => setTimeout(done, 300));
  };
  try {
    await until("nothing wrong");
    writeFileSync(part, "let width = 1\n");
    await until("1 error");
    // As editors do: another file takes its name.
    writeFileSync(`${part}.new`, "let width = 3\n");
    renameSync(`${part}.new`, part);
    await until("nothing wrong");
    writeFileSync(main, 'import "./part.cdr" { width }\nassert width > \n');
    await until("1 error");
    child.kill("SIGINT");
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  } finally {
    child.kill("SIGKILL");
  }
}, 60_000);

it("writes text only", () => {
  expect(cdrc(["check", "--watch", "--json", "examples/quickstart.cdr"])).toMatchObject({ code: 2 });
});

it("says how long each phase took", () => {
  for (const command of ["check", "plan"])
    expect(cdrc([command, "--stats", "examples/quickstart.cdr"]).err).toMatch(
      /^plan +\d+\.\d ms$[^]*^total +\d+\.\d ms$/m,
    );
});
