/** The VS Code extension, packaged by the official tool; the package is opened and looked into. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Module } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const python = process.env["CDR_TEST_PYTHON"] ?? "python3";
const hasPython = spawnSync(python, ["--version"], { stdio: "ignore" }).status === 0;
if (!hasPython) process.stderr.write("skipped: no Python to open the package with\n");

interface Manifest {
  readonly main: string;
  readonly contributes: {
    readonly languages: readonly { readonly configuration: string }[];
    readonly grammars: readonly { readonly path: string; readonly scopeName: string }[];
    readonly snippets: readonly { readonly path: string }[];
    readonly commands: readonly { readonly command: string }[];
  };
}

describe.skipIf(!hasPython)("the VS Code extension", () => {
  const folder = mkdtempSync(join(tmpdir(), "cdr-vsix-"));
  const inside = (path: string) => join(folder, "extension", path);
  let manifest: Manifest;
  beforeAll(() => {
    const package_ = execFileSync(process.execPath, [join(root, "scripts/extension.mjs")], {
      encoding: "utf8",
    }).trim();
    execFileSync(python, ["-m", "zipfile", "-e", package_, folder]);
    manifest = JSON.parse(readFileSync(inside("package.json"), "utf8")) as Manifest;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("holds every file that it speaks of", () => {
    const { main, contributes } = manifest;
    const { languages, grammars, snippets } = contributes;
    const paths = [main, ...languages.map((l) => l.configuration), ...[...grammars, ...snippets].map((g) => g.path)];
    for (const path of paths) expect(existsSync(inside(path)), path).toBe(true);
    expect(existsSync(inside("LICENSE.txt"))).toBe(true);
  });

  it("holds the grammar of this lexer, and no sources or packages", () => {
    for (const path of ["syntaxes/cdr.tmLanguage.json", "snippets/cdr.json", "language-configuration.json"])
      expect(readFileSync(inside(path), "utf8")).toBe(readFileSync(join(root, "editor", path), "utf8"));
    for (const path of ["src", "node_modules", "tsconfig.json"]) expect(existsSync(inside(path)), path).toBe(false);
  });

  it("loads, and registers every command that it shows", async () => {
    const registered: string[] = [];
    const started: unknown[] = [];
    const known = new Map<string | symbol, unknown>([
      [Symbol.toPrimitive, () => ""],
      ["registerCommand", (name: string) => registered.push(name)],
      ["version", "1.140.0"],
    ]);
    // What the extension itself imports of `vscode`; its packages take what they need.
    const names = ["commands", "workspace", "window", "Uri"];
    const anything: unknown = new Proxy(function () {}, {
      get: (_, name) => known.get(name) ?? anything,
      apply: (_, __, words: unknown[]) => (words[0] === "command" ? "my-cdrc" : anything),
      construct: () => anything as object,
      ownKeys: (target) => [...Reflect.ownKeys(target), ...names],
      getOwnPropertyDescriptor: (target, name) =>
        Reflect.getOwnPropertyDescriptor(target, name) ?? { configurable: true, enumerable: true, value: anything },
    });
    const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
    const load = loader._load;
    loader._load = (name, ...rest) => (name === "vscode" ? anything : load(name, ...rest));
    try {
      const require = Module.createRequire(import.meta.url);
      const extension = require(inside(manifest.main)) as {
        activate: (context: unknown) => Promise<void>;
        deactivate: unknown;
      };
      expect(typeof extension.deactivate).toBe("function");
      const activated = extension.activate({ subscriptions: [] }).catch((error: unknown) => started.push(error));
      await Promise.race([activated, new Promise((done) => setTimeout(done, 500))]);
    } finally {
      loader._load = load;
    }
    expect(started).toEqual([]);
    for (const { command } of manifest.contributes.commands) expect(registered).toContain(command);
  });
});
