/**
 * Each folder of `test/baselines/` is a case: `main.cdr` with, beside it, the diagnostics, the plan and the bundle that
 * come of it. `npx vitest run test/baselines.test.ts --update` rewrites them; the diff is reviewed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emitBundle } from "../cli/bundle.ts";
import { compile } from "../compiler/compile.ts";
import { renderDiagnostics } from "../dsl/diagnostics/render.ts";
import { noPaint } from "../runtime/view/paint.ts";

const folder = join(import.meta.dirname, "baselines");

/** Options of a case: `options.json` with `set`, `preset`, `with`, `on`, `target`, `env`. */
interface CaseOptions {
  readonly set?: Readonly<Record<string, string>>;
  readonly preset?: string;
  readonly with?: readonly string[];
  readonly on?: string;
  readonly target?: "local" | "slurm";
  readonly env?: Readonly<Record<string, string>>;
}

function compileCase(name: string) {
  const place = join(folder, name);
  const file = join(place, "options.json");
  const options = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}) as CaseOptions;
  const overlays = options.with ?? [];
  const read = (path: string) =>
    existsSync(join(place, path)) ? readFileSync(join(place, path), "utf8") : undefined;
  return compile(
    { path: "main.cdr", text: read("main.cdr") ?? "" },
    {
      on: options.on ?? null,
      target: options.target ?? null,
      preset: options.preset ?? null,
      overlays: overlays.filter((o) => !o.endsWith(".cdr")),
      overlayFiles: overlays.filter((o) => o.endsWith(".cdr")),
      sets: Object.entries(options.set ?? {}).map(([key, text]) => ({ name: key, text })),
      read,
      environment: (variable) => options.env?.[variable],
      host: () => undefined,
    },
  );
}

describe("baselines", () => {
  for (const name of readdirSync(folder)) {
    it(name, async () => {
      const compiled = compileCase(name);
      const place = join(folder, name);
      await expect(renderDiagnostics(compiled.diagnostics, noPaint)).toMatchFileSnapshot(
        join(place, "diagnostics.txt"),
      );
      if (compiled.diagnostics.some((d) => d.severity === "error")) return;
      const bundle = emitBundle(compiled);
      const shown = bundle.files.filter(
        (f) => !/^(trainer|sources)\/|^(manifest|plan)\.json$|^report\.html$/.test(f.path),
      );
      const text = shown.map((f) => `==== ${f.path}\n${f.text}`).join("\n");
      await expect(text).toMatchFileSnapshot(join(place, "bundle.txt"));
    });
  }
});
