/** More failures that people reported, each with the least files that show it, in words of ours: found on its line, and not where it is mended. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";
import { positionAt } from "../../../dsl/source/source.ts";

interface Report {
  readonly source: string;
  readonly cause: string;
  /** The diagnostic's code, or how it begins. */
  readonly code: string;
  /** `file:line` */
  readonly at: string;
  readonly files: Files;
  /** File, what stands there, and what ought to. */
  readonly mended: readonly [string, string, string];
  readonly world?: number;
  readonly gpusPerNode?: number;
  readonly gpu?: string;
  /** The release of Megatron. */
  readonly engine?: string;
}

const path = join(import.meta.dirname, "../../fixtures/reported.json");
const reports = JSON.parse(readFileSync(path, "utf8")) as readonly Report[];

function told(files: Files, { world, gpusPerNode, gpu, engine }: Report): readonly string[] {
  return toldOf(files, {
    world: world ?? null,
    gpusPerNode: gpusPerNode ?? null,
    gpu: gpu ?? null,
    ...(engine === undefined ? {} : { engines: new Map([["megatron", engine]]) }),
  }).map(
    ({ code, severity, message, span: { source, start } }) =>
      `${severity} ${code} ${source.path}:${positionAt(source, start).line + 1} ${message}`,
  );
}

describe.each(reports.map((report) => [`${report.cause} (${report.source})`, report] as const))("%s", (_, report) => {
  it("is found on its line", () => {
    const found = told(report.files, report).filter((each) => each.includes(` ${report.code}`));
    expect(found.filter((each) => each.includes(` ${report.at} `))).not.toEqual([]);
  });

  it("is gone where it is mended", () => {
    const [file, wrong, right] = report.mended;
    expect(report.files[file]).toContain(wrong);
    const files = { ...report.files, [file]: (report.files[file] ?? "").replace(wrong, right) };
    expect(told(files, report).filter((each) => /^(?:error|warning) /.test(each))).toEqual([]);
  });
});
