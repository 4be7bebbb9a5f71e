/** Runs a command again whenever a file it read changes, until it is interrupted. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { output } from "./output.ts";

/** Editors write a file in several steps. */
const settleMilliseconds = 60;

/** `run` does the work and says which files it read. */
export async function watching(run: () => Promise<readonly string[]>): Promise<void> {
  const { promise: interrupted, resolve: leave } = Promise.withResolvers<undefined>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => leave(undefined));
  for (;;) {
    if (process.stderr.isTTY) output("stderr", "\u001B[2J\u001B[3J\u001B[H");
    const began = Date.now();
    const paths = await run();
    const change = changeOf(paths);
    const missed = paths.some((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > began);
    const next = missed ? false : change.happened.then(() => false);
    const left = await Promise.race([interrupted.then(() => true), next]);
    change.close();
    if (left) return;
    await new Promise((done) => setTimeout(done, settleMilliseconds));
  }
}

/** Folders are watched, not files: a file that is replaced is another file under its name. */
function changeOf(paths: readonly string[]): { readonly happened: Promise<unknown>; readonly close: () => void } {
  const folders = Map.groupBy(
    paths.map((path) => resolve(path)),
    (path) => dirname(path),
  );
  const { promise: happened, resolve: changed } = Promise.withResolvers<unknown>();
  const watchers: FSWatcher[] = [];
  for (const [folder, inside] of folders) {
    const names = new Set(inside.map((path) => basename(path)));
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || names.has(name)) changed(undefined);
      });
      watcher.on("error", () => undefined);
      watchers.push(watcher);
    } catch {
      // A folder that is not there yet cannot be watched.
    }
  }
  return {
    happened,
    close: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}
