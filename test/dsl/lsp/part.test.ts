/** What is said at once of a keystroke is what the whole file says. */
import { expect, it } from "vitest";
import { longFile } from "../../../bench/lsp/files.ts";
import { registry } from "../../../compiler/kinds/index.ts";
import { analyzer } from "../../../compiler/lsp/analyze.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { noFiles } from "../../../dsl/lsp/files.ts";
import { rangeOf } from "../../../dsl/lsp/positions.ts";
import { createWorkspace } from "../../../dsl/lsp/workspace.ts";

const uri = "file:///p/a.cdr";
const path = "/p/a.cdr";

/** What is shown of each, in the order of the text. */
const shown = (diagnostics: readonly Diagnostic[] | null) =>
  diagnostics
    ?.map(({ code, message, span, related, fixes }) =>
      JSON.stringify([
        rangeOf(span),
        code,
        message,
        related.map((note) => [note.message, rangeOf(note.span)]),
        fixes.map(({ edits }) => edits.map((edit) => [rangeOf(edit.span), edit.newText])),
      ]),
    )
    .sort();

const base = longFile(300);

/** Each an edit of a place in the middle. */
const edits: readonly (readonly [string, string, string])[] = [
  ["a value that is wrong", "lr = 6e-4", "lr = 6e-4 tokens"],
  ["a property that is not there", "d_ff    = 2816", "d_fff   = 2816"],
  ["a name that is not there", "model     = small_2", "model     = smal_2"],
  ["a model that others use", "layers  = 9", "layers  = 9 tokens"],
  ["a model that does not fit its stage", "context = 1024 tokens", "context = 12 tokens"],
  ["a bracket that is missing", "betas = [0.9, 0.95]", "betas = [0.9, 0.95"],
  ["one more member", "zero_stage <= 2", "zero_stage <= 2, tensor_parallel = 3"],
  ["something gone", "  heads   = 8\n", ""],
  ["an assertion", "heads divides small_1.d_model", "heads divides small_1.d_modl"],
  ["a batch that the world does not divide", "256 samples * scale", "255 samples * scale"],
  ["a correct change", "lr = 6e-4", "lr = 5e-4"],
];

it.each(edits)("%s", (_, before, after) => {
  const workspace = createWorkspace(
    registry,
    noFiles,
    analyzer({ environment: () => undefined, host: () => undefined }),
  );
  const index = base.indexOf(before, Math.floor(base.length / 3));
  const at = index < 0 ? base.indexOf(before) : index;
  expect(at).toBeGreaterThan(0);
  const text = base.slice(0, at) + after + base.slice(at + before.length);
  workspace.put({ uri, version: 1, text: base });
  workspace.analysis(path);
  workspace.put({ uri, version: 2, text });
  const soon = workspace.soonDiagnostics(path);
  const whole = workspace.analysis(path)?.diagnostics ?? null;
  if (soon !== null) expect(shown(soon)).toEqual(shown(whole));
  // Which name is nearest, only the whole file knows.
  expect(soon === null).toBe(after.includes("smal_2"));

  // And back again, from a text that is wrong.
  workspace.put({ uri, version: 3, text: base });
  const again = workspace.soonDiagnostics(path);
  if (again !== null) expect(shown(again)).toEqual(shown(workspace.analysis(path)?.diagnostics ?? null));
});
