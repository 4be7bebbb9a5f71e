/** The README shows the quickstart as it is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

it("shows examples/quickstart.cdr to the letter", () => {
  const shown = /```cdr\n([\s\S]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1];
  expect(shown).toBe(readFileSync(join(root, "examples/quickstart.cdr"), "utf8"));
});
