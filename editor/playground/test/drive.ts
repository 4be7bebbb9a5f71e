/**
 * Uses the page as a person does, in a real Chromium, and says what it saw as JSON: `node drive.ts PAGE CHROMIUM OUT [SCREENSHOTS]`.
 * `CDR_TEST_SLOWER=10` makes the page's machine ten times slower: what is seen may not change.
 */
import { writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";
import { colours } from "./colours.ts";
import { completion } from "./completion.ts";
import { definition } from "./definition.ts";
import { elsewhere } from "./elsewhere.ts";
import { empty } from "./empty.ts";
import { examples } from "./examples.ts";
import { formatted } from "./formatted.ts";
import { hover } from "./hover.ts";
import { looks } from "./looks.ts";
import { mended, mistake } from "./mistake.ts";
import { batch } from "./batch.ts";
import type { Seen } from "./seen.ts";
import { shared } from "./shared.ts";
import { visit } from "./visit.ts";

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
const asking = `param out: Path = env("OUT_DIR", default = "out")\nlet cards = host.gpus\n${text}`;

const [address = "", executablePath = "", out = "", screenshots] = process.argv.slice(2);
const isRoot = process.getuid?.() === 0;
const browser = await chromium.launch({ executablePath, args: isRoot ? ["--no-sandbox"] : [] });
const complaints: string[] = [];
const open = (url: string) =>
  visit({ browser, complaints, screenshots, slower: Number(process.env["CDR_TEST_SLOWER"] ?? 1) }, url);
const linkTo = (main: string, others: Readonly<Record<string, string>> = {}): string =>
  `${address}#cdr=${deflateRawSync(JSON.stringify({ main: "main.cdr", files: { "main.cdr": main, ...others } })).toString("base64url")}`;
const model = /^model[^]*?^\}\n/m.exec(text)?.[0] ?? "";
const parted = linkTo(`import "./lib.cdr" { small }\n${text.replace(model, "")}`, { "lib.cdr": model });

// Each step begins with the text that the one before left.
const one = await open(linkTo(text));
const own = await one.listed();
const seen: Seen = {
  complaints,
  own,
  colours: await colours(one),
  mistake: await mistake(one),
  mended: await mended(one),
  hover: await hover(one),
  completion: await completion(one),
  batch: await batch(one),
  formatted: await formatted(one),
  shared: await shared(one, open),
  definition: await definition(one),
  elsewhere: await elsewhere(await open(parted)),
  ...(await looks(one)),
  examples: await examples(one),
  empty: await empty(await open(address)),
  unknown: await (await open(linkTo(asking))).page.locator("#plan .notice").first().innerText(),
};
await browser.close();
writeFileSync(out, JSON.stringify(seen, null, 2));
