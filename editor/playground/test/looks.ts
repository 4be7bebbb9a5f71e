import { serverColours } from "./colours.ts";
import type { Seen } from "./seen.ts";
import type { Visit } from "./visit.ts";

/** By day, by night, and on a narrow screen. */
export async function looks({ page, shot }: Visit): Promise<Pick<Seen, "themes" | "narrow">> {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const day = await background();
  await page.click("#theme");
  const night = await background();
  await serverColours(page);
  await shot("dark");
  await page.setViewportSize({ width: 480, height: 1400 });
  // The editor takes the room that it has a moment after the page does.
  const isNarrow = page.waitForFunction(() => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const [text, plan] = [box("#text"), box("aside")];
    return (
      text !== undefined &&
      plan !== undefined &&
      plan.top >= text.bottom &&
      document.documentElement.scrollWidth <= innerWidth
    );
  });
  const narrow = await isNarrow.then(
    () => true,
    () => false,
  );
  await shot("narrow");
  await page.setViewportSize({ width: 1400, height: 950 });
  return { themes: [day, night], narrow };
}
