/**
 * Uses the page as a person does, in a real Chromium, and says what it saw as JSON: `node drive.ts PAGE CHROMIUM OUT [SCREENSHOTS]`.
 */
import { writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import type { ExampleSeen, Seen } from "./seen.ts";

const text = `import "std/clusters" { dgx_h100 }

model small {
  family  = llama
  layers  = 8
  d_model = 512
  heads   = 8
  context = 1024 tokens
}

data text { from = "corpus/*.txt", tokenizer = bytes }

stage pretrain {
  model     = small
  data      = text
  length    = 2B tokens
  batch     = 256 samples
  optimizer = adamw(lr = 6e-4)
}

cluster pod extends dgx_h100 { nodes = 2 }
launch hpc on pod { target = slurm() }
`;

const [address = "", executablePath = "", out = "", screenshots] = process.argv.slice(2);
const isRoot = process.getuid?.() === 0;
const browser = await chromium.launch({ executablePath, args: isRoot ? ["--no-sandbox"] : [] });
const complaints: string[] = [];

async function opened(url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 950 }, colorScheme: "light" });
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("requestfailed", (request) => complaints.push(`not loaded: ${request.url().slice(0, 200)}`));
  await page.goto(url);
  await page.waitForSelector(".stage");
  await page.waitForSelector("#editor .view-line");
  return page;
}

const linkTo = (files: Readonly<Record<string, string>>, main: string): string =>
  `${address}#cdr=${deflateRawSync(JSON.stringify({ main, files })).toString("base64url")}`;

const page = await opened(linkTo({ "main.cdr": text }, "main.cdr"));
const line = (holding: string) => page.locator("#editor .view-line", { hasText: holding }).first();
const word = (inLine: string, name: string) => line(inLine).locator("span span", { hasText: name }).first();
const shot = async (name: string, of: Page = page): Promise<void> => {
  if (screenshots !== undefined) await of.screenshot({ path: `${screenshots}/${name}.png` });
};
const texts = (selector: string, of: Page = page) => of.locator(selector).allInnerTexts();
const squiggles = () => page.locator("#editor .squiggly-error").count();
const squiggled = (count: number) =>
  page.waitForFunction((n) => document.querySelectorAll("#editor .squiggly-error").length === n, count);
const closed = async (widget: string): Promise<void> => {
  await page.keyboard.press("Escape");
  await page.waitForSelector(widget, { state: "hidden" });
};
const term = (section: string, index: number) =>
  page.locator(".stage section", { hasText: section }).locator(".term b").nth(index).innerText();
/** The text as the editor shows it, blanks as blanks. */
const shownText = async (of: Page) => {
  const lines = await of.locator("#editor .view-line").evaluateAll((found) =>
    found
      .map((each) => ({ top: each.getBoundingClientRect().top, text: each.textContent ?? "" }))
      .sort((a, b) => a.top - b.top)
      .map((each) => each.text.replaceAll("\u00a0", " ")),
  );
  return lines.join("\n");
};

/** The server's own colours come after the text. */
const coloured = {
  keyword: ["stage pretrain", "stage"],
  number: ["layers", "8"],
  string: ["import", "std/clusters"],
  property: ["layers", "layers"],
};
const colours = (await (
  await page.waitForFunction((words) => {
    const lines = [...document.querySelectorAll("#editor .view-line")];
    const found = Object.entries(words).map(([name, [inLine = "", word = ""]]) => {
      const line = lines.find((each) => each.textContent?.replaceAll("\u00a0", " ").includes(inLine));
      const at = [...(line?.querySelectorAll("span span") ?? [])].find((each) => each.textContent?.includes(word));
      return [name, at === undefined ? "" : getComputedStyle(at).color] as const;
    });
    return new Set(found.map(([, colour]) => colour)).size === found.length ? Object.fromEntries(found) : null;
  }, coloured)
).jsonValue()) as Record<string, string>;
/** A word that only the server knows has its colour. */
const told = () =>
  page.waitForFunction(() => {
    const words = [...document.querySelectorAll("#editor .view-line span span")];
    const colourOf = (name: string) => {
      const found = words.find((each) => each.textContent?.trim() === name);
      return found === undefined ? "" : getComputedStyle(found).color;
    };
    return colourOf("llama") !== "" && colourOf("llama") !== colourOf("family");
  });
await told();
await shot("light");
const listed = (of: Page = page) =>
  of.locator("#examples").evaluate((list: HTMLSelectElement) => list.selectedOptions[0]?.textContent ?? "");
const own = await listed();

// ---- a mistake, what is said of it, and its fix ----

await line("layers").click();
await page.keyboard.press("Home");
for (let i = 0; i < "layers".length; i++) await page.keyboard.press("Delete");
await page.keyboard.type("layrs");
// What was typed on the way there has mistakes of its own.
await page.waitForSelector("#problems .problem.error:has-text('layrs')");
await page.waitForSelector("#plan .notice.bad");
await page.waitForSelector(".stale .stage");
await squiggled(1);
await closed(".suggest-widget.visible");
const mistake = {
  squiggles: await squiggles(),
  problem: (await texts("#problems .problem")).join("\n"),
  notice: (await texts("#plan .notice.bad")).join("\n"),
  stale: (await page.locator(".stale .stage").count()) === 1,
};
await shot("mistake");
await page.keyboard.press("Control+.");
await page.waitForSelector(".action-widget .monaco-list-row");
await page.keyboard.press("Enter");
await page.waitForSelector("#problems", { state: "hidden" });
await squiggled(0);
const mended = { text: await line("= 8").innerText(), squiggles: await squiggles() };

// ---- what the editor knows ----

await word("family", "family").hover();
await page.waitForSelector(".monaco-hover:not(.hidden) .rendered-markdown:has-text('written at')");
const hover = (await texts(".monaco-hover:not(.hidden) .rendered-markdown")).join("\n");
await shot("hover");
await page.mouse.move(0, 0);
await line("heads").click();
await page.keyboard.press("End");
await page.keyboard.press("Enter");
await page.keyboard.press("Control+Space");
await page.waitForSelector(".suggest-widget.visible .monaco-list-row");
await shot("completion");
const completion = await texts(".suggest-widget.visible .monaco-list-row .label-name");
await closed(".suggest-widget.visible");
await page.keyboard.press("Control+Z");

// ---- the plan follows ----

const before = await page.locator(".arithmetic").first().innerText();
const stepsBefore = await term("Total", 0);
await word("batch", "256").dblclick();
await page.keyboard.type("512");
// A slow machine plans "5" and "51" on the way.
await page.locator(".arithmetic").first().locator(".term b", { hasText: /^512$/ }).last().waitFor();
const batch = {
  before,
  after: await page.locator(".arithmetic").first().innerText(),
  stepsBefore,
  stepsAfter: await term("Total", 0),
};

await line("batch").click();
await page.keyboard.press("Home");
await page.keyboard.type("        ");
await page.click("#format");
await page.waitForFunction(() =>
  [...document.querySelectorAll("#editor .view-line")].every((each) => !/^\s{8}/.test(each.textContent ?? "")),
);
const formatted = (await line("batch").innerText()).replaceAll("\u00a0", " ");

// ---- a link holds the text ----

const saidOn = async (of: Page): Promise<string> => {
  const text = await of.waitForFunction(
    () => location.hash.startsWith("#cdr=") && document.querySelector("#said")?.textContent,
  );
  return String(await text.jsonValue());
};
await page.click("#share");
const said = await saidOn(page);
const link = await page.evaluate(() => location.href);
const other = await opened(link);
await other.waitForSelector("#editor .view-line:has-text('launch')");
const sharedText = await shownText(other);
await other.close();
const broken = await opened(link.slice(0, -20));
const damaged = await saidOn(broken);
await broken.close();
const shared = { said, text: sharedText, damaged };

await word("cluster pod", "dgx_h100").click();
await page.keyboard.press("F12");
await page.waitForSelector('.tab[aria-selected="true"]:has-text("read only")');
await line("cluster dgx_h100").waitFor();
const definition = `${await page.locator('.tab[aria-selected="true"]').innerText()}\n${await shownText(page)}`;
await shot("definition");
await page.getByRole("tab", { name: "main.cdr" }).click();

const themes = [await page.evaluate(() => getComputedStyle(document.body).backgroundColor)];
await page.click("#theme");
themes.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
await told();
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

// ---- every example ----

const options = await page.locator("#examples option").evaluateAll((found) =>
  found.map((each) => ({
    value: (each as HTMLOptionElement).value,
    name: each.textContent ?? "",
    group: each.parentElement?.getAttribute("label") ?? "",
  })),
);
const examples: ExampleSeen[] = [];
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
  const stages = await page.locator(".stage").evaluateAll((found) =>
    found.map((each) => ({
      name: each.querySelector("h2")?.firstChild?.textContent ?? "",
      figures: [...each.querySelectorAll(".figures dd")].map((figure) => figure.textContent ?? ""),
    })),
  );
  const notice = page.locator("#plan > .notice").first();
  examples.push({
    group,
    name,
    listed: await listed(),
    stages,
    notice: (await notice.count()) === 0 ? null : await notice.innerText(),
  });
}

// ---- a text without a stage, then one with an error: there is no plan to show again ----

const bare = await opened(address);
const first = await listed(bare);
await bare.click("#editor .view-line");
await bare.keyboard.press("Control+A");
await bare.keyboard.press("Delete");
await bare.waitForSelector("#plan .notice:has-text('no stage')");
const nothing = [
  await listed(bare),
  ...(await texts("#plan .notice", bare)),
  await bare.locator("#took").innerText(),
];
await bare.keyboard.type("}");
await bare.waitForSelector("#plan .notice.bad");
const empty = { own, first, nothing, broken: (await texts("#plan .notice", bare)).join("\n") };
await bare.close();

const asking = await opened(
  linkTo(
    { "main.cdr": `param out: Path = env("OUT_DIR", default = "out")\nlet cards = host.gpus\n${text}` },
    "main.cdr",
  ),
);
const unknown = await asking.locator("#plan .notice").first().innerText();
await browser.close();

const seen: Seen = {
  ...{ complaints, colours, mistake, mended, hover, completion, batch, formatted, shared, definition },
  ...{ themes, narrow, unknown, examples, empty },
};
writeFileSync(out, JSON.stringify(seen, null, 2));
