import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withTriedFixes } from "../../cli/tried.ts";
import { compile } from "../../compiler/compile.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { positionAt } from "../../dsl/source/source.ts";

const folder = join(import.meta.dirname, "../fixtures/broken");
export const base = readFileSync(join(folder, "base.cdr"), "utf8");

/** The healthy file with some of its lines replaced, and where the one message belongs. */
export interface BrokenFile {
  readonly title: string;
  readonly text: string;
  /** One-based. */
  readonly line: number;
  /** `nothing` where the file is healthy. */
  readonly code: string;
  /** Nothing is wrong any more when its first fix is made. */
  readonly isMended: boolean;
}

/**
 * Reads `== title`, the lines of `base.cdr` that are replaced (`- `), those instead (`+ `), and `> code`, `> +1 code` or
 * `> nothing`, and `~ mended`: the message stands on the first replaced line, or that many below. `<U+00A0>` is a character, `<BYTE E4>` a byte.
 */
export function brokenFiles(name: string): readonly BrokenFile[] {
  const sections = readFileSync(join(folder, name), "utf8").split(/^== /m).slice(1);
  return sections.map((section) => {
    const [title = "", ...lines] = section.split("\n");
    const marked = (mark: string): readonly string[] =>
      lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2));
    const old = marked("-").join("\n");
    const at = `\n${base}`.indexOf(`\n${old}\n`);
    if (at < 0) throw new Error(`${title}: base.cdr has no ${old}`);
    const written = base.slice(0, at) + marked("+").join("\n") + base.slice(at + old.length);
    const isMended = marked("~").includes("mended");
    const [, down, code = ""] = /^(?:\+(\d+) )?(\S+)$/.exec(marked(">").join("")) ?? [];
    return {
      title,
      text: decoded(written),
      line: base.slice(0, at).split("\n").length + Number(down ?? 0),
      code,
      isMended,
    };
  });
}

function decoded(text: string): string {
  const characters = text.replaceAll(/<U\+([0-9A-F]+)>/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
  const parts = characters.split(/<BYTE ([0-9A-F]{2})>/);
  const bytes = parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? "utf8" : "hex"));
  return Buffer.concat(bytes).toString("utf8");
}

/** What `cdrc check` says of a text: `line code`, errors and warnings alike. */
export function messagesOf(text: string): readonly string[] {
  return diagnosticsOf(text).map(({ span, code }) => `${positionAt(span.source, span.start).line + 1} ${code}`);
}

/** The text with the first fix of its first message that `cdrc check` offers. */
export function mended(text: string): string {
  const edits = withTriedFixes(compiled(text))[0]?.fixes[0]?.edits ?? [];
  return edits
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text);
}

export const diagnosticsOf = (text: string): readonly Diagnostic[] => compiled(text).diagnostics;

function compiled(text: string) {
  const options = {
    ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
  };
  return { ...compile({ path: "broken.cdr", text }, options), options };
}
