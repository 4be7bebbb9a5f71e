/** An edit of a file that many others stand behind: at once what the whole says, and in the end what a fresh start would say. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chainedFiles } from "../../../bench/lsp/files.ts";
import { registry } from "../../../compiler/kinds/index.ts";
import { analyzer } from "../../../compiler/lsp/analyze.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { noFiles } from "../../../dsl/lsp/files.ts";
import { rangeOf } from "../../../dsl/lsp/positions.ts";
import { createWorkspace, type Workspace } from "../../../dsl/lsp/workspace.ts";

const analyze = analyzer({ environment: () => undefined, host: () => undefined });

/** What the last files of a chain take from those before, in all the ways there are. */
const library = `import "./base.cdr" as base
param width: Int in 1..4096 = 512
let narrow = width / 2
fn twice(n: Int) = n * 2
enum Size { small, large }
model shared extends base.plain { d_model = width }
model spare extends base.plain { layers = 3 }
shared.heads = 4
data texts { from = "texts/*.jsonl", tokenizer = base.pieces }
optimizer slow(lr: Float = 1e-5) = adamw(lr = lr)
stage before { model = shared, data = texts, length = 100 steps, batch = 8 samples, optimizer = adamw(lr = 1e-4) }
`;
const base = `tokenizer pieces { train = bpe(vocab = 8_000), from = words }
data words { from = "words/*.txt", tokenizer = bytes }
model plain { family = llama, layers = 2, d_model = 256, heads = 8, vocab = 8_000, context = 256 tokens }
cluster here { nodes = 1, gpu = h100, gpus_per_node = 8 }
launch there on here { target = slurm() }
`;
const run = `import "./library.cdr" { shared, narrow, twice, texts as corpus, before }
import "./base.cdr" { there, here as machine }

model own extends shared { layers = twice(3), d_ff = narrow * 4 }

data mix { source all { from = corpus }, tokenizer = bytes }

stage train {
  model     = own
  data      = corpus
  from      = before.last
  length    = 50 steps
  batch     = 16 samples
  optimizer = adamw(lr = 3e-4)
  schedule  = cosine(warmup = 5 steps, to = 10%)
  checkpoint { every = 10 steps, keep = last(2) }
}

let share_of = 10% of own.layers
assert own.d_model <= 1024
`;
const files: ReadonlyMap<string, string> = new Map([
  ...[...chainedFiles(4)].map(([name, text]) => [`/p/${name}`, text] as const),
  ["/p/base.cdr", base],
  ["/p/library.cdr", library],
  ["/p/run.cdr", run],
]);

const started = (texts: ReadonlyMap<string, string>): Workspace => {
  const workspace = createWorkspace(registry, noFiles, analyze);
  for (const [path, text] of texts) workspace.put({ uri: `file://${path}`, version: 1, text });
  return workspace;
};

const shown = (diagnostics: readonly Diagnostic[] | null | undefined, path?: string) =>
  diagnostics
    ?.filter(({ span }) => path === undefined || span.source.path === path)
    .map(({ code, message, span, related, fixes }) =>
      JSON.stringify([
        span.source.path,
        rangeOf(span),
        code,
        message,
        related.map((note) => [note.message, rangeOf(note.span)]),
        fixes.map(({ edits }) => edits.map((edit) => [rangeOf(edit.span), edit.newText])),
      ]),
    )
    .sort();

/** A word or a number of a text in the place of another: what people type. */
const edit = (text: string) => {
  const tokens = [...text.matchAll(/\w+/g)];
  return fc
    .tuple(
      fc.constantFrom(...tokens),
      fc.oneof(
        fc.constantFrom(...tokens).map(([word]) => word),
        fc.constantFrom("", "0", "7", "4096", "none", "x", "5 steps"),
      ),
    )
    .map(([token, instead]) => text.slice(0, token.index) + instead + text.slice(token.index + token[0].length));
};

describe.each(["/p/run.cdr", "/p/chain_4.cdr"])("an edit of %s", (path) => {
  const before = files.get(path) ?? "";
  it("is judged at once as it will be", () => {
    let atOnce = 0;
    fc.assert(
      fc.property(edit(before), (text) => {
        const workspace = started(files);
        workspace.analysis(path);
        workspace.put({ uri: `file://${path}`, version: 2, text });
        const soon = workspace.soonDiagnostics(path);
        const fresh = started(new Map([...files, [path, text]])).analysis(path)?.diagnostics;
        if (soon !== null) {
          atOnce += 1;
          expect(shown(soon, path)).toEqual(shown(fresh, path));
        }
        expect(shown(workspace.analysis(path)?.diagnostics)).toEqual(shown(fresh));
      }),
      { numRuns: 30, seed: 4 },
    );
    expect(atOnce).toBeGreaterThan(10);
  });

  it("is judged at once with all that was typed before", () => {
    // All within one declaration, as somebody types who has not paused.
    const declarations = [...before.matchAll(/^(?:model|data|stage|cluster)[^]*?^}/gm)].map(([text]) => text);
    const typing = fc.constantFrom(...declarations).chain((first) =>
      edit(first)
        .chain((second) => edit(second).chain((third) => edit(third).map((last) => [second, third, last])))
        .map((texts) => texts.map((text) => before.replace(first, () => text))),
    );
    let atOnce = 0;
    fc.assert(
      fc.property(typing, (texts) => {
        const workspace = started(files);
        workspace.analysis(path);
        for (const [index, text] of texts.entries()) {
          workspace.put({ uri: `file://${path}`, version: index + 2, text });
          const soon = workspace.soonDiagnostics(path);
          if (soon === null) continue;
          atOnce += 1;
          expect(shown(soon, path)).toEqual(
            shown(started(new Map([...files, [path, text]])).analysis(path)?.diagnostics, path),
          );
        }
      }),
      { numRuns: 20, seed: 7 },
    );
    expect(atOnce).toBeGreaterThan(15);
  });
});
