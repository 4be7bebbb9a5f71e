/** Neovim's own language client against the built `cdrc lsp`: no tree-sitter, no plugin. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  readonly stopped: boolean;
}

describe.skipIf(!hasNeovim)("Neovim", () => {
  it("attaches, shows, completes, mends and renames", () => {
    const folder = mkdtempSync(join(tmpdir(), "cdr-nvim-"));
    const [file, out] = [join(folder, "main.cdr"), join(folder, "out.json")];
    writeFileSync(file, text);
    const { status, stderr } = spawnSync(
      "nvim",
      ["--headless", "--clean", "-n", "-c", `luafile ${join(root, "test/editors/neovim.lua")}`],
      {
        encoding: "utf8",
        timeout: 120_000,
        env: {
          ...process.env,
          XDG_STATE_HOME: folder,
          XDG_CACHE_HOME: folder,
          CDR_SERVER: `${process.execPath} ${join(root, "bin/cdrc.mjs")} lsp`,
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
    expect(found.stopped).toBe(true);
  });
});
