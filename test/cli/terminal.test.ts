import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

/** What it says of stdout, and which of Node's streams it loaded for that. */
const script = `
  import { writeSync } from "node:fs";
  import { terminalOf } from ${JSON.stringify(join(import.meta.dirname, "../../cli/terminal.ts"))};
  const { isTTY, columns } = terminalOf("stdout");
  const loaded = process.moduleLoadList.filter((name) => /(sync_write_stream|NativeModule (net|tty))$/.test(name));
  writeSync(2, JSON.stringify({ isTTY, columns, loaded }));
`;

it("knows without a stream that nowhere, a file and a pipe are no terminals", () => {
  const folder = mkdtempSync(join(tmpdir(), "cdr-terminal-"));
  const file = openSync(join(folder, "out"), "w");
  try {
    for (const stdout of ["ignore", "pipe", file] as const) {
      const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["ignore", stdout, "pipe"],
        encoding: "utf8",
      });
      expect(JSON.parse(stderr)).toEqual({ isTTY: false, loaded: [] });
    }
    expect(readFileSync(join(folder, "out"), "utf8")).toBe("");
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
});
