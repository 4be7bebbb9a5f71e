/** What the README and the pages beside it show is so. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compile } from "../compiler/compile.ts";
import { parse } from "../dsl/syntax/parse.ts";
import { alone } from "./support/alone.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = ["README.md", "CONTRIBUTING.md", ...globSync("docs/{*,targets/*}.md", { cwd: root }).sort()];

it("shows examples/quickstart.cdr to the letter", () => {
  expect(/```cdr\n([\s\S]*?)```/.exec(read("README.md"))?.[1]).toBe(read("examples/quickstart.cdr"));
});

/** Options of each command, by the page that the commands themselves write. */
const options = new Map(
  read("docs/commands.md")
    .split(/^## cdrc /m)
    .slice(1)
    .map((section) => [/^\S+/.exec(section)?.[0] ?? "", new Set(section.match(/--?[a-z][\w-]*/g))]),
);

/** Commands that a page tells one to type, on lines of their own and within sentences. */
const commandsOf = (page: string): string[] =>
  [...page.matchAll(/(?:^ {4}|`)(?:npx )?cdrc ([a-z][^`\n]*)/gm)].map(([, words = ""]) => words.replace(/ # .*/, ""));

it.each(pages)("%s names commands and options that there are", (path) => {
  for (const words of commandsOf(read(path))) {
    const name = /^[a-z-]+/.exec(words)?.[0] ?? "";
    expect([...options.keys()], words).toContain(name);
    for (const option of words.match(/(?<= )--?[a-z][\w-]*/g) ?? [])
      expect([...(options.get(name) ?? [])], `cdrc ${words}`).toContain(option);
  }
});

it("finds them", () => {
  expect(pages.flatMap((path) => commandsOf(read(path))).length).toBeGreaterThan(50);
});

/** Blocks of a kind, in pages that no test of their own reads. */
const blocks = (tag: string) =>
  pages
    .filter((path) => path !== "docs/language.md")
    .flatMap((path) =>
      [...read(path).matchAll(new RegExp(`^\`\`\`${tag}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
        ([, text = ""]) => [path, text] as const,
      ),
    );

describe("blocks of the pages", () => {
  it.each(blocks("cdr-part"))("%s parses: %s", (_, text) => {
    expect(parse({ path: "part.cdr", text }).diagnostics).toEqual([]);
  });

  it.each(blocks("cdr-stage"))("%s checks as members of a stage: %s", (_, members) => {
    const experts = members.includes("expert_parallel");
    const text = `import "std/clusters" { dgx_h100 }
data text { from = "corpus/*.txt", tokenizer = bytes }
model small {
  family  = ${experts ? "mixtral" : "llama"}
  layers  = 8
  d_model = 512
  heads   = 8
  context = 1024 tokens
  ${experts ? "moe { experts = 8, top_k = 2 }" : ""}
}
stage pretrain {
  model     = small
  data      = text
  length    = 1000 steps
  batch     = 256 samples
  optimizer = adamw(lr = 6e-4)
${members}
}
cluster pod extends dgx_h100 { nodes = 2 }
launch hpc on pod { target = slurm() }
`;
    const { diagnostics } = compile({ path: "main.cdr", text }, alone);
    expect(diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual([]);
  });
});
