import type { Visit } from "./visit.ts";

/** A line that was moved to the right, laid out again. */
export async function formatted({ page, line }: Visit): Promise<string> {
  const moved = (isMoved: boolean) =>
    page.waitForFunction(
      (wanted) =>
        wanted ===
        [...document.querySelectorAll("#editor .view-line")].some((each) => /^\s{8}/.test(each.textContent ?? "")),
      isMoved,
    );
  await line("batch").click();
  await page.keyboard.press("Home");
  await page.keyboard.type("        ");
  await moved(true);
  await page.click("#format");
  await moved(false);
  return (await line("batch").innerText()).replaceAll("\u00a0", " ");
}
