import type { Visit } from "./visit.ts";

const tab = '.tab[aria-selected="true"]';

/** Where a name of the standard library leads, and back. */
export async function definition({ page, line, word, shown, shot }: Visit): Promise<string> {
  await word("cluster pod", "dgx_h100").click();
  await page.keyboard.press("F12");
  await page.waitForSelector(`${tab}:has-text("read only")`);
  await line("cluster dgx_h100").waitFor();
  const there = `${await page.locator(tab).innerText()}\n${await shown()}`;
  await shot("definition");
  await page.getByRole("tab", { name: "main.cdr" }).click();
  return there;
}
