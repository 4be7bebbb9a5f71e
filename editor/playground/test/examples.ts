import type { ExampleSeen } from "./seen.ts";
import type { Visit } from "./visit.ts";

/** Each example of the list, chosen and planned. */
export async function examples({ page, listed }: Visit): Promise<ExampleSeen[]> {
  const options = await page.locator("#examples option").evaluateAll((found) =>
    found.map((each) => ({
      value: (each as HTMLOptionElement).value,
      name: each.textContent ?? "",
      group: each.parentElement?.getAttribute("label") ?? "",
    })),
  );
  const found: ExampleSeen[] = [];
  for (const { value, name, group } of options) {
    if (value === "") continue;
    // In one go: no plan of the text before may come in between.
    await page.evaluate((chosen) => {
      const list = document.querySelector<HTMLSelectElement>("#examples");
      if (list === null) return;
      document.querySelector("#plan")?.replaceChildren();
      list.value = chosen;
      list.dispatchEvent(new Event("change"));
    }, value);
    await page.waitForSelector("#plan > *");
    const stages = await page.locator(".stage").evaluateAll((shown) =>
      shown.map((each) => ({
        name: each.querySelector("h2")?.firstChild?.textContent ?? "",
        figures: [...each.querySelectorAll(".figures dd")].map((figure) => figure.textContent ?? ""),
        sum: [...each.querySelectorAll("section")]
          .filter((section) => section.querySelector("h3")?.textContent === "Total")
          .flatMap((section) => [...section.querySelectorAll(".term b")].map((term) => term.textContent ?? "")),
      })),
    );
    const notice = page.locator("#plan > .notice").first();
    found.push({
      group,
      name,
      listed: await listed(),
      stages,
      notice: (await notice.count()) === 0 ? null : await notice.innerText(),
    });
  }
  return found;
}
