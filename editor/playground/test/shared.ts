import type { Seen } from "./seen.ts";
import type { Visit } from "./visit.ts";

/** A link holds the text; one that was cut says so. */
export async function shared(at: Visit, open: (url: string) => Promise<Visit>): Promise<Seen["shared"]> {
  await at.page.click("#share");
  const said = await at.said();
  const link = await at.page.evaluate(() => location.href);

  const other = await open(link);
  await other.line("launch").waitFor();
  const text = await other.shown();
  await other.leave();

  const broken = await open(link.slice(0, -20));
  const damaged = await broken.said();
  await broken.leave();
  return { said, text, damaged };
}
