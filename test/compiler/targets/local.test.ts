import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { lowerLocal } from "../../../compiler/targets/local/lower.ts";
import { tiny, tinyLaunch } from "../../support/tiny.ts";

const nasty = `a'b "$(touch pwned)" \`x\`\nlast`;

test("launch.sh starts every step in order with its values to the letter, and a finished one not again", () => {
  const folder = mkdtempSync(join(tmpdir(), "cdr-launch-"));
  const { bundle } = tiny(folder);
  const files = lowerLocal(bundle, tinyLaunch({ NASTY: nasty, TOKEN: { secret: "MY_TOKEN" } }));
  // The interpreter is one that notes how it was called and what it saw, then leaves a result as an agent does.
  const provision = `#!/bin/sh\nprintf '%s/python\\n' ${JSON.stringify(folder)}\n`;
  const python = `#!/bin/bash
if [[ $2 == cdr_trainer.identity ]]; then printf '%s 1234abcd\\n' corpus pretrain sample; exit; fi
printf '%s\\n' "$*" >>${folder}/calls
printf '%s' "$NASTY" >${folder}/nasty
printf '%s' "$TOKEN" >${folder}/token
while [ "$1" != --run-dir ]; do shift; done
mkdir -p "$2/exit"
echo '{"code": 0, "state": "done"}' >"$2/exit/a0.json"
`;
  const all = [...files, { path: "trainer/provision.sh", text: provision }];
  for (const { path, text } of all) {
    mkdirSync(dirname(join(folder, "b", path)), { recursive: true });
    writeFileSync(join(folder, "b", path), text);
  }
  writeFileSync(join(folder, "python"), python);
  chmodSync(join(folder, "python"), 0o755);
  const launch = (...names: string[]): string =>
    execFileSync("bash", [join(folder, "b", "launch.sh"), ...names], {
      cwd: folder,
      env: { ...process.env, MY_TOKEN: "t0ps3cret" },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
  launch("corpus");
  launch();
  const calls = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
  expect(calls.map((call) => /--program (\w+)/.exec(call)?.[1])).toEqual(["prepare", "train", "generate"]);
  expect(calls[1]).toContain(`--input data=${folder}/runs/corpus/1234abcd@result`);
  expect(readFileSync(join(folder, "nasty"), "utf8")).toBe(nasty);
  expect(readFileSync(join(folder, "token"), "utf8")).toBe("t0ps3cret");
  expect(() => launch("corpse")).toThrow("there is no step corpse");
  expect(files[0]?.text).not.toContain("t0ps3cret");
});

test("a missing secret is named before anything starts", () => {
  const folder = mkdtempSync(join(tmpdir(), "cdr-launch-"));
  const { bundle } = tiny(folder);
  const [file] = lowerLocal(bundle, tinyLaunch({ TOKEN: { secret: "NOT_SET_ANYWHERE" } }));
  writeFileSync(join(folder, "launch.sh"), file?.text ?? "");
  expect(() => execFileSync("bash", [join(folder, "launch.sh")], { stdio: "pipe" })).toThrow("NOT_SET_ANYWHERE");
});
