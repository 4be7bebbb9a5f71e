import type { Visit } from "./visit.ts";

/** Words of each kind: a text that their line holds, and the word. */
const coloured = {
  keyword: ["stage pretrain", "stage"],
  number: ["layers", "8"],
  string: ["import", "std/clusters"],
  property: ["layers", "layers"],
};

export async function colours({ page, shot }: Visit): Promise<Record<string, string>> {
  const found = await page.waitForFunction((words) => {
    const lines = [...document.querySelectorAll("#editor .view-line")];
    const colours = Object.entries(words).map(([name, [inLine = "", word = ""]]) => {
      const line = lines.find((each) => each.textContent?.replaceAll("\u00a0", " ").includes(inLine));
      const at = [...(line?.querySelectorAll("span span") ?? [])].find((each) => each.textContent?.includes(word));
      return [name, at === undefined ? "" : getComputedStyle(at).color] as const;
    });
    return new Set(colours.map(([, colour]) => colour)).size === colours.length ? Object.fromEntries(colours) : null;
  }, coloured);
  await serverColours(page);
  await shot("light");
  return (await found.jsonValue()) as Record<string, string>;
}

/** Waits for the server's own colours, which come after the text: a word that only the server knows has its colour. */
export const serverColours = (page: Visit["page"]) =>
  page.waitForFunction(() => {
    const words = [...document.querySelectorAll("#editor .view-line span span")];
    const colourOf = (name: string) => {
      const found = words.find((each) => each.textContent?.trim() === name);
      return found === undefined ? "" : getComputedStyle(found).color;
    };
    return colourOf("llama") !== "" && colourOf("llama") !== colourOf("family");
  });
