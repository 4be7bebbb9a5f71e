import type { Browser, Locator, Page } from "playwright-core";

/** The page in a tab, and where a person's eyes and hand find things in it. */
export interface Visit {
  readonly page: Page;
  /** The first line of the editor that holds a text. */
  readonly line: (holding: string) => Locator;
  /** A word of that line. */
  readonly word: (inLine: string, name: string) => Locator;
  readonly texts: (selector: string) => Promise<string[]>;
  /** The text as the editor shows it, blanks as blanks. */
  readonly shown: () => Promise<string>;
  /** Which example the list says that the text is. */
  readonly listed: () => Promise<string>;
  /** What the bar says once the address holds the text. */
  readonly said: () => Promise<string>;
  readonly shot: (name: string) => Promise<void>;
  /** Puts away a widget that takes the keys. */
  readonly closed: (widget: string) => Promise<void>;
  readonly leave: () => Promise<void>;
}

export interface Visitor {
  readonly browser: Browser;
  /** Where errors and warnings of the console, exceptions and what was not loaded are written down. */
  readonly complaints: string[];
  readonly screenshots: string | undefined;
  /** How many times slower than here the page's machine is. */
  readonly slower: number;
}

export async function visit({ browser, complaints, screenshots, slower }: Visitor, url: string): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 950 }, colorScheme: "light" });
  page.setDefaultTimeout(120_000);
  if (slower > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
  }
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("requestfailed", (request) => complaints.push(`not loaded: ${request.url().slice(0, 200)}`));
  await page.goto(url);
  await page.waitForSelector(".stage");
  await page.waitForSelector("#editor .view-line");

  const line = (holding: string) => page.locator("#editor .view-line", { hasText: holding }).first();
  return {
    page,
    line,
    word: (inLine, name) => line(inLine).locator("span span", { hasText: name }).first(),
    texts: (selector) => page.locator(selector).allInnerTexts(),
    shown: async () => {
      const lines = await page.locator("#editor .view-line").evaluateAll((found) =>
        found
          .map((each) => ({ top: each.getBoundingClientRect().top, text: each.textContent ?? "" }))
          .sort((a, b) => a.top - b.top)
          .map((each) => each.text.replaceAll("\u00a0", " ")),
      );
      return lines.join("\n");
    },
    listed: () =>
      page.locator("#examples").evaluate((list: HTMLSelectElement) => list.selectedOptions[0]?.textContent ?? ""),
    said: async () => {
      const text = await page.waitForFunction(
        () => location.hash.startsWith("#cdr=") && document.querySelector("#said")?.textContent,
      );
      return String(await text.jsonValue());
    },
    shot: async (name) => {
      if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/${name}.png` });
    },
    closed: async (widget) => {
      await page.keyboard.press("Escape");
      await page.waitForSelector(widget, { state: "hidden" });
    },
    leave: async () => {
      // What a tab was still loading when it is closed is no complaint.
      page.removeAllListeners("requestfailed");
      await page.close();
    },
  };
}
