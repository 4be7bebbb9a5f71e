/** The generated pages of `docs/` say what the code says. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allDefinitions } from "../compiler/diagnostics/index.ts";
import { demands as deepspeedDemands } from "../compiler/engines/deepspeed/demands/index.ts";
import { rules as megatronRules } from "../compiler/engines/megatron/rules/index.ts";
import { registry } from "../compiler/kinds/index.ts";
import { compile } from "../compiler/compile.ts";
import { slugOf } from "../compiler/reference/diagnostic-page.ts";
import { documentOf } from "../compiler/reference/document.ts";
import { schemaOf } from "../compiler/reference/schema.ts";
import { anchor } from "../compiler/reference/type-words.ts";
import { helpFor } from "../dsl/diagnostics/help.ts";
import { errorsIn } from "../dsl/diagnostics/diagnostic.ts";
import { ownCase, ownCases } from "../scripts/diagnostic-cases.ts";
import { deepspeedCase, megatronCase } from "../scripts/engine-cases.ts";
import { generatedDocs, writtenDocs } from "../scripts/docs.ts";

const root = join(import.meta.dirname, "..");
const pages = await generatedDocs();

it("are those that the code gives; `npm run docs` writes them anew", () => {
  const written = writtenDocs();
  expect([...written.keys()].sort(), "run `npm run docs`").toEqual([...pages.keys()].sort());
  const stale = [...pages].filter(([path, text]) => written.get(path) !== text).map(([path]) => path);
  expect(stale, "stale; run `npm run docs`").toEqual([]);
});

it("have as many cells in each row of a table as its heading has", () => {
  const uneven = globSync("{*.md,docs/**/*.md}", { cwd: root }).flatMap((path) => {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    const isRow = (line: string): boolean => line.startsWith("|") && line.endsWith("|");
    return lines.flatMap((line, index) => {
      const before = lines[index - 1] ?? "";
      return isRow(line) && isRow(before) && cellsOf(line) !== cellsOf(before) ? [`${path}:${index + 1}`] : [];
    });
  });
  expect(uneven).toEqual([]);
});

/** A bar behind a backslash is text, in code too. */
const cellsOf = (row: string): number => row.replaceAll("\\|", "").split("|").length;

describe("diagnostics", () => {
  it("are found in the index where their `help` points", () => {
    const index = pages.get("diagnostics/README.md") ?? "";
    const anchors = new Set([...index.matchAll(/^### (.*)$/gm)].map(([, heading = ""]) => anchor(heading)));
    for (const { code } of allDefinitions) expect(anchors).toContain(helpFor(code).replace("cdrc explain ", ""));
  });

  it.each(ownCases)("%s is told of its case", (slug) => {
    expect(ownCase(`cdr/${slug}`)).not.toBeNull();
  });

  it.each(allDefinitions.map(({ code }) => code))("%s has a page with its cause, an example and a fix", (code) => {
    const page = pages.get(`diagnostics/${slugOf(code)}.md`) ?? "";
    const [, cause = "", example = "", fix = ""] = page
      .split(/^## (?:Cause|Example|Fix)$/m)
      .map((part) => part.trim());
    expect(cause.length).toBeGreaterThan(20);
    expect(example).toContain(code);
    expect(fix).toMatch(/^[A-Z`]/);
  });
});

describe("pages of the engines' rules", () => {
  const cases = [...megatronRules.map(megatronCase), ...deepspeedDemands.map(deepspeedCase)];

  it.each(cases.map((each) => [each.told.code, each] as const))("%s shows files at a place in them", (code, each) => {
    const { path, text } = each.told.span.source;
    expect(each.fires[path]).toBe(text);
    expect(each.told.code).toBe(code);
    expect([each.fires, each.flags, each.note]).not.toEqual([each.silent, each.silentFlags, each.silentNote]);
    expect(pages.get(`diagnostics/${slugOf(code)}.md`)).toMatch(/^[\w.-]+:\d+:\d+: (?:error|warning|info): /m);
  });

  it("say what the files alone do not, and mostly nothing is left to say", () => {
    const noted = cases.filter(({ note }) => note !== "").map(({ told }) => told.code);
    expect(noted.length).toBeLessThan(cases.length / 12);
  });
});

describe("kinds", () => {
  it.each(Object.values(registry.kinds).map((kind) => [kind.name, kind] as const))(
    "%s has a page with all its properties",
    (name, kind) => {
      const page = pages.get(`reference/${name}.md`) ?? "";
      for (const property of Object.keys(kind.properties)) expect(page).toContain(`| \`${property}\` |`);
      expect(page).not.toMatch(/\bundefined\b|\[object Object/);
    },
  );

  it("are linked to pages that exist", () => {
    for (const [path, text] of pages) {
      for (const [, target = ""] of text.matchAll(/\]\(([\w-]+\.md)/g)) {
        if (path.startsWith("reference/"))
          expect(pages.has(`reference/${target}`), `${path} -> ${target}`).toBe(true);
      }
    }
  });
});

describe("the schema", () => {
  const schema = z.fromJSONSchema(schemaOf(registry) as Parameters<typeof z.fromJSONSchema>[0]);
  const files = globSync("examples/**/*.cdr", { cwd: root }).sort();
  const compiled = files.map((path) => {
    const read = (name: string): string | undefined => {
      try {
        return readFileSync(name, "utf8");
      } catch {
        return undefined;
      }
    };
    const full = join(root, path);
    const options = { on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] };
    return [
      path,
      compile(
        { path: full, text: readFileSync(full, "utf8") },
        { ...options, read, environment: () => undefined, host: () => undefined },
      ),
    ] as const;
  });

  it.each(compiled)("describes what %s says", (_, { program, diagnostics }) => {
    if (errorsIn(diagnostics) > 0) return;
    const result = schema.safeParse(documentOf(program));
    expect(result.error?.issues ?? []).toEqual([]);
  });

  it("refuses what no file says", () => {
    expect(schema.safeParse({ stage: { a: { batch: "8" } } }).success).toBe(false);
    expect(schema.safeParse({ stag: {} }).success).toBe(false);
    expect(schema.safeParse({ model: { m: { layers: 1.5 } } }).success).toBe(false);
  });
});
