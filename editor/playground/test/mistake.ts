import type { Seen } from "./seen.ts";
import type { Visit } from "./visit.ts";

const squiggles = ({ page }: Visit) => page.locator("#editor .squiggly-error").count();
const squiggled = ({ page }: Visit, count: number) =>
  page.waitForFunction((n) => document.querySelectorAll("#editor .squiggly-error").length === n, count);

/** What is said of a slip of the pen. */
export async function mistake(at: Visit): Promise<Seen["mistake"]> {
  const { page, line, texts, closed, shot } = at;
  await line("layers").click();
  await page.keyboard.press("Home");
  for (let i = 0; i < "layers".length; i++) await page.keyboard.press("Delete");
  await page.keyboard.type("layrs");
  // What was typed on the way there has mistakes of its own.
  await page.waitForSelector("#problems .problem.error:has-text('layrs')");
  await page.waitForSelector("#plan .notice.bad");
  await page.waitForSelector(".stale .stage");
  await squiggled(at, 1);
  // Completion that was asked for while typing may come at any time, or not at all: asked for, it comes now.
  await page.keyboard.press("Control+Space");
  await page.waitForSelector(".suggest-widget.visible .monaco-list-row");
  await closed(".suggest-widget.visible");
  await shot("mistake");
  return {
    squiggles: await squiggles(at),
    problem: (await texts("#problems .problem")).join("\n"),
    notice: (await texts("#plan .notice.bad")).join("\n"),
    stale: (await page.locator(".stale .stage").count()) === 1,
  };
}

/** The fix that is offered. */
export async function mended(at: Visit): Promise<Seen["mended"]> {
  const { page, line } = at;
  await page.keyboard.press("Control+.");
  await page.waitForSelector(".action-widget .monaco-list-row");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#problems", { state: "hidden" });
  await line("layers").waitFor();
  await squiggled(at, 0);
  return { text: await line("layers").innerText(), squiggles: await squiggles(at) };
}
