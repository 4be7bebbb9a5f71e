/** Digests of local files for locks. */
import { createHash } from "node:crypto";
import { closeSync, globSync, openSync, readSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Digest } from "../compiler/lock/lock.ts";
import type { Outside } from "../compiler/lock/make.ts";
import { readSignatures } from "../compiler/plugins/python.ts";
import { pluginSources } from "../compiler/plugins/verify.ts";
import type { Program } from "../dsl/eval/program.ts";

/** Above this, data whose number of files and bytes are as they were is not read again by `check`. */
const mostToRead = 64e6;

export function outsideOf(program: Program, full: boolean): Outside {
  const folder = dirname(program.root.path);
  return {
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    digest: (pattern, like) => digest(pattern, folder, full ? null : like),
    plugins: () =>
      Object.fromEntries(
        pluginSources(program, readSignatures).map((path) => [
          relative(folder, path),
          createHash("sha256").update(readFileSync(path)).digest("hex"),
        ]),
      ),
  };
}

function digest(pattern: string, folder: string, like: Digest | null): Digest | null {
  const files = filesOf(pattern, folder);
  if (files.length === 0) return null;
  const sizes = files.map((file) => statSync(file).size);
  const bytes = sizes.reduce((a, b) => a + b, 0);
  if (like !== null && like.files === files.length && like.bytes === bytes && bytes > mostToRead) return like;
  const whole = createHash("sha256");
  for (const file of files) whole.update(`${relative(folder, file)}\0${sha256(file)}\n`);
  return { files: files.length, bytes, sha256: whole.digest("hex") };
}

/** A file, everything below a folder, or what a glob matches, in one order on every machine. */
function filesOf(pattern: string, folder: string): string[] {
  const found = globSync([pattern, `${pattern.replace(/\/$/, "")}/**`], { cwd: folder });
  return [...new Set(found.map((path) => join(folder, path)))].filter((path) => statSync(path).isFile()).sort();
}

function sha256(file: string): string {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(1 << 20);
  const descriptor = openSync(file, "r");
  for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer))
    hash.update(buffer.subarray(0, read));
  closeSync(descriptor);
  return hash.digest("hex");
}
