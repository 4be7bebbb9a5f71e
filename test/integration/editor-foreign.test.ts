/** Neovim's own language client against the built `cdrc lsp --foreign`. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const hasNeovim = spawnSync("nvim", ["--version"], { stdio: "ignore" }).status === 0;
if (!hasNeovim) process.stderr.write("skipped: Neovim is not installed (sh test/editors/install.sh)\n");

const script = `#!/bin/bash
torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --micro-batch-size 1 \\
  --tensor-model-parallel-size 3 --num-attention-heads 12 \\
  --ckp
`;

interface Found {
  readonly problem?: string;
  readonly diagnostics: readonly { readonly line: number; readonly message: string }[];
  readonly hover: { readonly contents: { readonly value: string } };
  readonly completion: readonly { readonly label: string }[];
}

it.skipIf(!hasNeovim)("shows, explains and completes a launch script in Neovim", () => {
  const folder = mkdtempSync(join(tmpdir(), "cdr-nvim-"));
  const [file, out] = [join(folder, "train.sh"), join(folder, "out.json")];
  writeFileSync(file, script);
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
        CDR_SCRIPT: join(root, "test/editors/neovim-foreign.lua"),
        CDR_SERVER: JSON.stringify([process.execPath, join(root, "bin/cdrc.mjs"), "lsp", "--foreign"]),
        CDR_FILE: file,
        CDR_OUT: out,
      },
    },
  );
  expect(status, stderr).toBe(0);
  const found = JSON.parse(readFileSync(out, "utf8")) as Found;
  rmSync(folder, { recursive: true, force: true });
  expect(found.problem).toBeUndefined();
  expect(found.diagnostics).toContainEqual(
    expect.objectContaining({ line: 2, message: expect.stringContaining("8") as string }),
  );
  expect(found.hover.contents.value).toContain("Megatron-LM");
  expect(found.completion.map(({ label }) => label)).toContain("--ckpt-format");
});
