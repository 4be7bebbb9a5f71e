/** A shell's name of the run: `run.id`, and nothing in `to`, below which each run has its folder. */
import { expect, it } from "vitest";
import { base, diagnosticsOf } from "../support/broken.ts";

const line = "  checkpoint { every = 200 steps, keep = last(2), to = out }";

function mended(to: string): string {
  const text = base.replace(line, line.replace("to = out", `to = ${to}`));
  const [found] = diagnosticsOf(text);
  const edits = (found?.fixes[0]?.edits ?? []).toSorted((a, b) => b.span.start - a.span.start);
  return edits.reduce((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text);
}

it.each([
  ['"out/$RUN"', '"out"'],
  ['"$RUN/out"', '"out"'],
  ['"$RUN"', '"output"'],
  ["$RUN", '"output"'],
  ['"out/${RUN_ID}"', '"out"'],
  ['"out/${SLURM_JOB_ID}/x"', '"out/x"'],
])("to = %s becomes %s, which is right", (written, right) => {
  const text = mended(written);
  expect(text).toContain(`to = ${right} }`);
  expect(diagnosticsOf(text)).toEqual([]);
});

it("is `run.id` elsewhere", () => {
  const text = base.replace('["def ", "class "]', '["$RUN"]');
  expect(diagnosticsOf(text)[0]?.fixes[0]?.title).toBe("write `${run.id}`");
});
