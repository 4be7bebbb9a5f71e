import type { Seen } from "./seen.ts";
import type { Visit } from "./visit.ts";

/** A text without a stage, then one with an error: there is no plan to show again. */
export async function empty({ page, listed, texts, leave }: Visit): Promise<Seen["empty"]> {
  const first = await listed();
  await page.click("#editor .view-line");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("let a = 1");
  await page.waitForSelector("#plan .notice:has-text('no stage')");
  const nothing = [await listed(), ...(await texts("#plan .notice")), await page.locator("#took").innerText()];
  await page.keyboard.type(" }");
  await page.waitForSelector("#plan .notice.bad");
  const broken = (await texts("#plan .notice")).join("\n");
  await leave();
  return { first, nothing, broken };
}
