/** What the schema says of a text is what the language takes, though its patterns have no flags. */
import { expect, it } from "vitest";
import { registry } from "../../../compiler/kinds/index.ts";
import { cron } from "../../../compiler/kinds/cron.ts";
import { schemaOf } from "../../../compiler/reference/schema.ts";

const patterns = [...JSON.stringify(schemaOf(registry)).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
  ([, text = '""']) => new RegExp(JSON.parse(text) as string),
);
const own = cron.kind === "string" ? cron.form?.pattern : undefined;
const inSchema = patterns.find((pattern) => pattern.test("0 2 * * *") && !pattern.test("text"));

it.each([
  "0 2 * * *",
  "0 2 * * mon-fri",
  "0 2 * * MON",
  "0 2 1 jan,Jul *",
  "*/5 0 * * Sun",
  "0 2 * * Mox",
  "60 2 * * *",
])("a clock is read alike: %s", (text) => {
  expect(inSchema?.test(text)).toBe(own?.test(text));
});
