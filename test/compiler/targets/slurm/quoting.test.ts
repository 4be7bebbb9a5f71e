import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isPlain } from "../../../../compiler/targets/slurm/directives.ts";
import { fakeRun } from "../../../support/fake-slurm.ts";
import { exampleJob } from "../../../support/slurm-job.ts";

const awkward = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        " ",
        "'",
        '"',
        "`",
        "$(touch pwned)",
        "${HOME}",
        ";",
        "&&",
        "|",
        "\\",
        "\n",
        "*",
        "~",
        "#",
        "%j",
        "-",
        "é",
        "{{x}}",
        "!",
      ),
      fc.string({ minLength: 1, maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join("").replaceAll("\0", ""));
const fileName = awkward
  .map((text) => text.replaceAll("/", "_").slice(0, 80))
  .filter((text) => !/^\.{0,2}$/.test(text));

test("paths, inputs and values of the environment reach the program to the letter", () => {
  const property = fc.property(fileName, awkward, awkward, (folder, value, input) => {
    const launch = { ...exampleJob().launch, env: { VALUE: value, TOKEN: { secret: "MY_TOKEN" } } };
    const inputs = [{ name: "data", directory: `/d/${input}`, which: "result" }];
    const ran = fakeRun({ folder, job: { launch, inputs }, secrets: { MY_TOKEN: value } });
    const { argv, env } = ran;
    expect(ran.code, ran.stderr).toBe(0);
    expect(argv?.[argv.indexOf("--project") + 1]?.endsWith(`/${folder}`)).toBe(true);
    expect(argv?.[argv.indexOf("--run-dir") + 1]?.endsWith(`/${folder}/run`)).toBe(true);
    expect(argv?.at(-1)).toBe(`data=/d/${input}@result`);
    expect(env["VALUE"]).toBe(value);
    expect(env["TOKEN"]).toBe(value);
  });
  fc.assert(property, { numRuns: 25 });
  expect(existsSync("pwned")).toBe(false);
  // A hundred processes: half a minute where the machine is busy.
}, 300_000);

test("only words that no version of Slurm reads otherwise stand in the script", () => {
  fc.assert(
    fc.property(awkward, (value) => {
      if (isPlain({ value })) expect(value).not.toMatch(/[\s'"\\$`;#&|<>()*?!]/);
    }),
  );
});
