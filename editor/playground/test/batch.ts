import type { Seen } from "./seen.ts";
import type { Visit } from "./visit.ts";

/** The plan follows a figure of the text. */
export async function batch({ page, word }: Visit): Promise<Seen["batch"]> {
  const arithmetic = page.locator(".arithmetic").first();
  const steps = () => page.locator(".stage section", { hasText: "Total" }).locator(".term b").nth(0).innerText();
  const before = await arithmetic.innerText();
  const stepsBefore = await steps();
  await word("batch", "256").dblclick();
  await page.keyboard.type("512");
  // A slow machine plans "5" and "51" on the way.
  await arithmetic.locator(".term b", { hasText: /^512$/ }).last().waitFor();
  return { before, after: await arithmetic.innerText(), stepsBefore, stepsAfter: await steps() };
}
