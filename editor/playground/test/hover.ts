import type { Visit } from "./visit.ts";

const rendered = ".monaco-hover:not(.hidden) .rendered-markdown";

export async function hover({ page, word, texts, shot }: Visit): Promise<string> {
  await word("family", "family").hover();
  await page.waitForSelector(`${rendered}:has-text('written at')`);
  const said = (await texts(rendered)).join("\n");
  await shot("hover");
  await page.mouse.move(0, 0);
  return said;
}
