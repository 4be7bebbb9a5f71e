/** Neovim's own language client against the built `cdrc lsp`: no tree-sitter, no plugin. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const hasNeovim = spawnSync("nvim", ["--version"], { stdio: "ignore" }).status === 0;
if (!hasNeovim) process.stderr.write("skipped: Neovim is not installed (sh test/editors/install.sh)\n");

const text = `import "std/clusters" { dgx_h100 }

/// Text of the project.
data text { from = "corpus/*.txt" }

// The model.
model small {
  family  = llama
  layrs   = 8
  d_model = 512, heads = 8
  context = 1024 tokens
}
stage pretrain {
  model     = small
  data      = text
  length    = 2B tokens
  batch     = 256 samples
  optimizer = adamw(lr = 6e-4)
}
cluster pod extends dgx_h100 { nodes = 2 }
launch hpc on pod { target = slurm() }
`;

interface Found {
  readonly problem?: string;
  readonly attached: boolean;
  readonly server: boolean;
  readonly before: readonly { readonly line: number; readonly message: string }[];
  readonly hover: { readonly contents: { readonly value: string } };
  readonly completion: readonly { readonly label: string }[];
  readonly definition: { readonly range: { readonly start: { readonly line: number } } };
  readonly symbols: readonly { readonly name: string }[];
  readonly hints: readonly { readonly label: string }[];
  readonly fixed: string;
  readonly after: readonly unknown[];
  readonly text: string;
  readonly renamed: readonly unknown[];
  readonly later: Readonly<Record<string, readonly unknown[] | null>> & {
    readonly hints: readonly { readonly label: string }[];
    readonly on_number: readonly { readonly title: string; readonly kind: string }[];
    readonly tokens: { readonly data: readonly number[] };
    readonly signature: { readonly signatures: readonly { readonly label: string }[] };
    readonly pulled: { readonly items: readonly unknown[] };
  };
  readonly resolved: readonly { readonly command: { readonly title: string; readonly command: string } }[];
  readonly hover_chain: { readonly contents: { readonly value: string } };
  readonly stopped: boolean;
}

describe.skipIf(!hasNeovim)("Neovim", () => {
  it("attaches, shows, completes, mends and renames", () => {
    const folder = mkdtempSync(join(tmpdir(), "cdr-nvim-"));
    const [file, out] = [join(folder, "main.cdr"), join(folder, "out.json")];
    writeFileSync(file, text);
    const { status, stderr } = spawnSync(
      "nvim",
      ["--headless", "--clean", "-n", "-c", "execute 'luafile' fnameescape($CDR_SCRIPT)"],
      {
        encoding: "utf8",
        timeout: 300_000,
        env: {
          ...process.env,
          XDG_STATE_HOME: folder,
          XDG_CACHE_HOME: folder,
          CDR_SCRIPT: join(root, "test/editors/neovim.lua"),
          CDR_SERVER: JSON.stringify([process.execPath, join(root, "bin/cdrc.mjs"), "lsp"]),
          CDR_FILE: file,
          CDR_OUT: out,
        },
      },
    );
    expect(status, stderr).toBe(0);
    const found = JSON.parse(readFileSync(out, "utf8")) as Found;
    rmSync(folder, { recursive: true, force: true });
    expect(found.problem).toBeUndefined();
    expect(found.attached && found.server).toBe(true);
    expect(found.before).toContainEqual(
      expect.objectContaining({ line: 8, message: expect.stringContaining("layrs") as string }),
    );
    expect(found.hover.contents.value).toContain("the architecture");
    expect(found.completion.map(({ label }) => label)).toContain("kv_heads");
    expect(found.definition.range.start.line).toBe(6);
    expect(found.symbols.map(({ name }) => name)).toEqual(["text", "small", "pretrain", "pod", "hpc"]);
    expect(found.fixed).toBe("  layers   = 8");
    expect(found.after).toEqual([]);
    expect(found.text).toContain("model tiny {");
    expect(found.text).toContain("model     = tiny");
    expect(found.renamed).toEqual([]);
    expect(found.hover_chain.contents.value).toContain("`= 2_000_000_000 tokens`: written at main.cdr:16");
    expect(found.later.hints.map(({ label }) => label)).toEqual([
      expect.stringMatching(/on 16 ranks, .* GPU-h$/),
      "→ 7,630 steps",
    ]);
    expect(found.resolved.map(({ command }) => command.title)).toEqual([
      "run text",
      "not run yet",
      expect.stringMatching(/^plan: 25\.96M params, 7,630 steps/),
      "run pretrain",
      "not run yet",
    ]);
    expect(found.later.on_number.map(({ title }) => title)).toEqual([
      "extract `param length`",
      "write `2_000_000_000 tokens`",
    ]);
    expect(found.later.signature.signatures[0]?.label).toMatch(/^adamw\(lr/);
    expect(found.later.tokens.data.length).toBeGreaterThan(100);
    expect(found.later.pulled.items).toEqual([]);
    for (const [asked, count] of Object.entries({
      ...{
        references: 2,
        highlights: 2,
        folding: 2,
        selection: 1,
        links: 1,
        workspace_symbols: 1,
        calls: 1,
        types: 1,
      },
      ...{ formatting: 3, range_formatting: 3, on_type_formatting: 3 },
    }))
      expect(found.later[asked], asked).toHaveLength(count);
    expect(found.stopped).toBe(true);
  });

  it("is set up by what docs/editors.md says, in a home that has nothing else", () => {
    const folder = mkdtempSync(join(tmpdir(), "cdr-nvim-home-"));
    const place = (name: string) => {
      mkdirSync(join(folder, name), { recursive: true });
      return join(folder, name);
    };
    const [bin, config, project] = [place("bin"), place("config/nvim"), place("a project")];
    const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;
    writeFileSync(
      join(bin, "cdrc"),
      `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(join(root, "bin/cdrc.mjs"))} "$@"\n`,
      { mode: 0o755 },
    );
    writeFileSync(join(config, "init.lua"), documented());
    writeFileSync(join(project, "main.cdr"), text);
    const wait = `vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20)
local first = vim.diagnostic.get(0)[1] or {}
local handle = assert(io.open(vim.env.CDR_OUT, "w"))
handle:write(vim.fn.json_encode({ filetype = vim.bo.filetype, message = first.message or "" }))
handle:close()
vim.cmd("qall!")
`;
    const [script, out] = [join(folder, "wait.lua"), join(folder, "out.json")];
    writeFileSync(script, wait);
    const { status, stderr } = spawnSync(
      "nvim",
      ["--headless", "-n", "main.cdr", "-c", "execute 'luafile' fnameescape($CDR_SCRIPT)"],
      {
        ...{ encoding: "utf8", timeout: 300_000, cwd: project },
        env: {
          ...process.env,
          ...{ HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "data") },
          ...{ XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder, CDR_SCRIPT: script, CDR_OUT: out },
          PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        },
      },
    );
    expect(status, stderr).toBe(0);
    const seen: unknown = JSON.parse(readFileSync(out, "utf8"));
    rmSync(folder, { recursive: true, force: true });
    expect(seen).toEqual({ filetype: "cdr", message: expect.stringContaining("layrs") as string });
  });
});

/** The configuration that the page gives for the version that is here. */
function documented(): string {
  const page = readFileSync(join(root, "docs/editors.md"), "utf8");
  const section = page.slice(page.indexOf("## Neovim"), page.indexOf("## Files that are not"));
  const [kind = "", newest = "", middle = "", oldest = "", lenses = ""] = [
    ...section.matchAll(/```lua\n([^]*?)```/g),
  ].map(([, code = ""]) => code);
  const version = spawnSync("nvim", ["--version"], { encoding: "utf8" }).stdout;
  const [, major = "0", minor = "0"] = /v(\d+)\.(\d+)/.exec(version) ?? [];
  const age = Number(major) * 1000 + Number(minor);
  return [kind, age >= 11 ? newest : age >= 8 ? middle : oldest, lenses].join("\n");
}
