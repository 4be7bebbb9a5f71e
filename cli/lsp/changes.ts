/** What changed since a step last ran: its configuration then, and what would be emitted now. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Changes } from "../../compiler/lsp/code-lens.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { readRecord } from "../../runtime/state/record.ts";
import { emitBundle } from "../bundle.ts";

export const changesSinceRun: Changes = (compilation, path, step) => {
  const run = newestRun(join(dirname(path), "runs", step));
  const read = run === null ? null : readRecord(run.directory);
  if (run === null || read === null || !read.ok || errorsIn(compilation.diagnostics) > 0) return null;
  const { config } = read.record.step;
  const now = emitBundle(compilation).files.find((file) => file.path === config);
  const before = textOf(join(run.directory, "bundle", config));
  if (now === undefined || before === null) return null;
  return { run: run.id, changes: differences(JSON.parse(before), JSON.parse(now.text)) };
};

function newestRun(folder: string): { readonly id: string; readonly directory: string } | null {
  try {
    const [newest] = readdirSync(folder)
      .map((id) => ({ id, directory: join(folder, id) }))
      .map((run) => ({
        ...run,
        at: statSync(join(run.directory, "run.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0,
      }))
      .filter(({ at }) => at > 0)
      .sort((a, b) => b.at - a.at);
    return newest ?? null;
  } catch {
    return null;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** `optimizer.lr 0.003 -> 0.001`, one for each leaf. */
function differences(before: unknown, now: unknown, at = ""): string[] {
  if (isObject(before) && isObject(now)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return names.flatMap((name) => differences(before[name], now[name], at === "" ? name : `${at}.${name}`));
  }
  const [old, fresh] = [JSON.stringify(before), JSON.stringify(now)];
  return old === fresh ? [] : [`${at} ${old ?? "none"} → ${fresh ?? "none"}`];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
