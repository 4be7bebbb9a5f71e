import type { Seen } from "./seen.ts";
import type { Visit } from "./visit.ts";

/** A mistake in a file that the shown one imports: it is told of in both, and a click leads to it. */
export async function elsewhere({ page, line, texts, shot }: Visit): Promise<Seen["elsewhere"]> {
  const tab = (name: string) => page.locator("#tabs .tab", { hasText: name });
  await tab("lib.cdr").click();
  await line("heads").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("hads = 8");
  await page.waitForSelector("#problems .problem.error:has-text('hads')");
  await tab("main.cdr").click();
  await page.waitForSelector("#plan .notice.bad");
  await page.waitForSelector("#problems .problem.error:has-text('lib.cdr')");
  await shot("elsewhere");
  const problems = await texts("#problems .problem .place");
  await page.click("#problems .problem");
  await page.waitForSelector("#tabs .tab[aria-selected='true']:has-text('lib.cdr')");
  return { problems, shown: (await texts("#tabs .tab[aria-selected='true']")).join() };
}
