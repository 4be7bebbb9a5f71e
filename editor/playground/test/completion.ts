import type { Visit } from "./visit.ts";

const widget = ".suggest-widget.visible";

/** What is offered on a new line of the model; the line is taken back. */
export async function completion({ page, line, texts, closed, shot }: Visit): Promise<string[]> {
  await line("heads").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Space");
  await page.waitForSelector(`${widget} .monaco-list-row`);
  await shot("completion");
  const offered = await texts(`${widget} .monaco-list-row .label-name`);
  await closed(widget);
  await page.keyboard.press("Control+Z");
  return offered;
}
