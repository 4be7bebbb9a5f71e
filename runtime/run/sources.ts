/**
 * What a step reads from outside of its bundle, one line per thing, so that changed data are another question.
 * `trainer/cdr_trainer/identity.py` lists the same, for bundles that run with no `cdrc` present.
 */
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";

const config = z.looseObject({
  sources: z.array(z.looseObject({ kind: z.string(), patterns: z.array(z.string()).optional() })).default([]),
  tokenizer: z.looseObject({ kind: z.string(), path: z.string().optional(), name: z.string().optional() }).optional(),
  weights: z.looseObject({ path: z.string().optional() }).optional(),
});

/** `owner/name`, which may be a folder as well. */
const isRepository = (name: string): boolean => /^\w[\w.-]*(?:\/\w[\w.-]*)?$/.test(name);

/** `configText`: the program's configuration; `python`: the version whose standard library is a source. */
export function sourcesOf(configText: string, project: string, python: string): string[] {
  const parsed = config.safeParse(JSON.parse(configText));
  if (!parsed.success) return [];
  const { sources, tokenizer, weights } = parsed.data;
  const patterns = sources.flatMap((source) => source.patterns ?? []);
  for (const path of [tokenizer?.path, tokenizer?.name, weights?.path]) if (path !== undefined) patterns.push(path);
  const files = [
    ...new Set(patterns.flatMap(withoutBraces).flatMap((pattern) => matchesOf(pattern, project))),
  ].sort();
  const lines = files.map((path) => describe(project, path));
  return sources.some((source) => source.kind === "python_stdlib") ? [...lines, `python ${python}`] : lines;
}

/** What a program's configuration reads of the project and no file matches, in words. */
export function unmatched(configText: string, project: string): string[] {
  const parsed = config.safeParse(JSON.parse(configText));
  if (!parsed.success) return [];
  const { sources, tokenizer, weights } = parsed.data;
  const patterns = sources.flatMap((source) => source.patterns ?? []);
  if (weights?.path !== undefined) patterns.push(weights.path);
  if (tokenizer?.kind === "hf" && tokenizer.name !== undefined && !isRepository(tokenizer.name))
    patterns.push(tokenizer.name);
  return patterns
    .filter((pattern) => withoutBraces(pattern).every((one) => matchesOf(one, project).length === 0))
    .map((pattern) => {
      const hub = pattern.includes("/") && isRepository(pattern);
      const meant = hub ? `; a repository of the Hub is written "hf://${pattern}"` : "";
      return `no file matches "${pattern}" in ${project}${meant}`;
    });
}

function describe(project: string, path: string): string {
  const { size, mtimeMs } = statSync(resolve(project, path));
  return `${path} ${size} ${Math.trunc(mtimeMs)}`;
}

/** Files that match, relative to the project; a folder means everything below it. */
export function matchesOf(pattern: string, project: string): string[] {
  const parts = pattern.split("/").filter((part, index) => part !== "." && (part !== "" || index === 0));
  const fixed = parts.findIndex((part) => /[*?[]/.test(part));
  if (fixed === -1) return filesBelow(project, parts.join("/"));
  const base = parts.slice(0, fixed).join("/") || (pattern.startsWith("/") ? "/" : "");
  const expression = new RegExp(`^${parts.map(expressionOf).join("/").replaceAll("(?:.*)/", "(?:.*/)?")}(?:/.*)?$`);
  return filesBelow(project, base).filter((path) => expression.test(path));
}

/** `a.{md,txt}`: one pattern for each choice. */
function withoutBraces(pattern: string): string[] {
  const inner = /\{([^{}]*)\}/.exec(pattern);
  if (inner === null) return [pattern];
  const rest = pattern.slice(inner.index + inner[0].length);
  return (inner[1] ?? "")
    .split(",")
    .flatMap((choice) => withoutBraces(pattern.slice(0, inner.index) + choice + rest));
}

function expressionOf(part: string): string {
  if (part === "**") return "(?:.*)";
  return part.replaceAll(/\*+|\?|\[!?[^\]]+\]|[^*?[]|\[/g, (token) => {
    if (token.startsWith("*")) return "[^/]*";
    if (token === "?") return "[^/]";
    if (token.startsWith("[") && token.length > 2) return `[${token.slice(1, -1).replace(/^!/, "^")}]`;
    return token.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
}

/** Hidden files and byte code are left out; a folder that links reach twice is read once. */
function filesBelow(project: string, path: string, seen = new Set<string>()): string[] {
  const full = resolve(project, path);
  try {
    const info = statSync(full);
    if (info.isFile()) return [path];
    const place = `${info.dev}:${info.ino}`;
    if (!info.isDirectory() || seen.has(place)) return [];
    seen.add(place);
    return readdirSync(full)
      .filter((name) => !name.startsWith(".") && name !== "__pycache__")
      .sort()
      .flatMap((name) => filesBelow(project, path === "" ? name : join(path, name), seen));
  } catch {
    // Not there, or not to be read: the program that wants it says so.
    return [];
  }
}
