/**
 * `docs/systems.md` says where each capability of the five systems is written. Lines and what is carried out are worked out
 * from the examples; `npx vitest run test/systems.test.ts --update` rewrites them, and the diff is reviewed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { type Compilation, compile } from "../compiler/compile.ts";
import type { Span } from "../dsl/source/source.ts";
import { number } from "../dsl/types/value.ts";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs/systems.md");
const systems = ["nemotron-cpt", "nanugpt", "cdrmix", "research-platform", "refocused-ai"];

interface Row {
  readonly number: number;
  readonly file: string;
  readonly line: number;
  readonly construct: string;
}

const cells = /^\| (\d+) +\| .*? +\| \[(\S+?):(\d+)\]\(\S+\) +\| (`+) ?(.*?) ?\4 +\| (?:yes|no) +\|$/;

function rowOf(line: string): Row | null {
  const [, number, file, at, , construct] = cells.exec(line) ?? [];
  if (number === undefined || file === undefined || construct === undefined) return null;
  return { number: Number(number), file, line: Number(at), construct: construct.replaceAll("\\|", "|") };
}

const text = readFileSync(page, "utf8");
const rows = text.split("\n").flatMap((line) => rowOf(line) ?? []);

const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined);
interface Variant {
  readonly on?: string;
  readonly preset?: string;
  readonly overlay?: string;
  readonly overlayFile?: string;
  readonly sets?: readonly string[];
}

function compileExample(path: string, { on, preset, overlay, overlayFile, sets = [] }: Variant = {}): Compilation {
  return compile(
    { path, text: read(path) ?? "" },
    {
      on: on ?? null,
      target: null,
      preset: preset ?? null,
      overlays: overlay === undefined ? [] : [overlay],
      overlayFiles: overlayFile === undefined ? [] : [overlayFile],
      sets: sets.map((set) => ({ name: set.split("=")[0] ?? "", text: set.split("=")[1] ?? "" })),
      read,
      environment: () => undefined,
      host: () => number(0),
    },
  );
}

/** A file as it stands, with each of its presets, overlays and launches, and at every scale. */
function variantsOf(path: string): Variant[] {
  const names = [...compileExample(path).program.root.names.values()];
  const named = (kind: string) =>
    names.flatMap((symbol) =>
      symbol.kind === "block" && symbol.node.head[0].text === kind && !symbol.node.abstract ? [symbol.name.text] : [],
    );
  return [
    {},
    ...named("preset").map((preset) => ({ preset })),
    ...named("overlay").map((overlay) => ({ overlay })),
    ...named("launch").map((on) => ({ on })),
    ...(path.endsWith("cdrmix/cdrmix.cdr") ? scales() : []),
    ...(path.endsWith("nemotron-cpt/prototype.cdr") || path.endsWith("nemotron-cpt/next.cdr")
      ? ["dense", "nano"].map((base) => ({ sets: [`base=${base}`] }))
      : []),
    ...(path.endsWith("refocused-ai/pretrain.cdr")
      ? ["1", "4", "8"].map((gpus) => ({ sets: [`gpus=${gpus}`] }))
      : []),
  ];
}

const scales = (): Variant[] =>
  ["core", "reason"].flatMap((kind) =>
    ["1b", "4b", "40b", "200b"].map((scale) => ({ sets: [`kind=${kind}`, `scale=${scale}`] })),
  );

const examples = systems.flatMap((system) =>
  readdirSync(join(root, "examples", system))
    .filter((name) => name.endsWith(".cdr"))
    .map((name) => relative(root, join(root, "examples", system, name))),
);

/** Blanks that only align are no part of a construct. */
const folded = (line: string): string => line.trim().replaceAll(/ +/g, " ");

describe("the examples", () => {
  it.each(examples)("%s passes check without an error or a warning, whatever is chosen", (path) => {
    for (const variant of variantsOf(path)) {
      const found = compileExample(path, variant).diagnostics.filter(({ severity }) => severity !== "info");
      expect(
        found.map(({ code, message }) => `${code}: ${message}`),
        JSON.stringify(variant),
      ).toEqual([]);
    }
  });

  it.each(["cdrmix", "validate"])("cdrmix/%s.cdr passes in small, too", (name) => {
    const overlayFile = "examples/cdrmix/mini.cdr";
    for (const kind of ["core", "reason"]) {
      const { diagnostics } = compileExample(`examples/cdrmix/${name}.cdr`, { overlayFile, sets: [`kind=${kind}`] });
      const told = diagnostics.filter(({ severity }) => severity !== "info");
      expect(
        told.map(({ code, message }) => `${code}: ${message}`),
        kind,
      ).toEqual([]);
    }
  });

  it.each(systems)("%s says each figure of its description", (system) => {
    const figures = readFileSync(join(root, "test/fixtures/systems", `${system}.txt`), "utf8");
    const lines = figures.split("\n").flatMap((line) => {
      const [, file, construct] = /^([\w-]+\.cdr): (.+)$/.exec(line) ?? [];
      return file === undefined || construct === undefined ? [] : [{ file, construct }];
    });
    const missing = lines.filter(({ file, construct }) => {
      const text = read(`examples/${system}/${file}`)?.split("\n").map(folded).join("\n");
      return text?.includes(folded(construct)) !== true;
    });
    expect(missing).toEqual([]);
    expect(lines.length).toBeGreaterThan(70);
  });
});

/** The line nearest to the one cited that holds the construct. */
function lineOf({ file, line, construct }: Row): number | null {
  const lines = (read(file) ?? "")
    .split("\n")
    .flatMap((l, index) => (folded(l).includes(construct) ? [index + 1] : []));
  return lines.sort((a, b) => Math.abs(a - line) - Math.abs(b - line))[0] ?? null;
}

/** The braces that a span stands in: a layout waits as a whole. */
function aroundOf({ source, start, end }: Span): Span {
  const before = source.text.lastIndexOf("{", start);
  const behind = source.text.indexOf("}", end);
  return { source, start: Math.max(before, 0), end: behind < 0 ? end : behind };
}

/** Lines of the examples on which something stands that nothing carries out. */
function unexecutedLines(): Set<string> {
  const places = examples.flatMap((path) =>
    variantsOf(path).flatMap((variant) => {
      const { unexecuted, diagnostics } = compileExample(path, variant);
      const waiting = diagnostics.filter(({ code }) => code === "cdr/layout-waits");
      return [...unexecuted.places(), ...waiting.map(({ span }) => aroundOf(span))];
    }),
  );
  return new Set(
    places.flatMap(({ source, start, end }) => {
      const first = source.text.slice(0, start).split("\n").length;
      const count = source.text.slice(start, end).split("\n").length;
      return Array.from({ length: count }, (_, index) => `${source.path}:${first + index}`);
    }),
  );
}

describe("the map of capabilities", () => {
  it("has all 131, in order", () => {
    expect([...new Set(rows.map(({ number }) => number))]).toEqual(
      Array.from({ length: 131 }, (_, index) => index + 1),
    );
  });

  it.each(rows.map((row) => [row.number, row.construct, row] as const))("%i is where it says: %s", (_, __, row) => {
    expect(examples).toContain(row.file);
    expect(lineOf(row), `${row.file} does not hold ${row.construct}`).not.toBeNull();
  });

  it("cites lines, and what is carried out, as they are", async () => {
    const open = unexecutedLines();
    const said = text.split("\n").map((line) => {
      const row = rowOf(line);
      const at = row === null ? null : lineOf(row);
      if (row === null || at === null) return line;
      const executed = open.has(`${row.file}:${at}`) ? "no" : "yes";
      return line
        .replaceAll(`${row.file}:${row.line}]`, `${row.file}:${at}]`)
        .replace(/#L\d+\)/, `#L${at})`)
        .replace(/\| (?:yes|no) +\|$/, `| ${executed.padEnd(8)} |`);
    });
    await expect(said.join("\n")).toMatchFileSnapshot(page);
  });
});
