/** Every DeepSpeed configuration that a case or an example lowers: the engine takes it and reads each of its keys. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkDeepSpeed } from "../../../../compiler/engines/deepspeed/check.ts";
import { isSection, parseValue } from "../../../../compiler/engines/deepspeed/value.ts";
import { hasPython, python } from "../../../support/python.ts";

interface Lowered {
  readonly from: string;
  readonly text: string;
  readonly world: number;
}

const baselines = join(import.meta.dirname, "../../../baselines");

function filesOf(bundle: string): ReadonlyMap<string, string> {
  const parts = bundle.split(/^==== (.+)$/m).slice(1);
  return new Map(parts.flatMap((path, at) => (at % 2 === 0 ? [[path.trim(), parts[at + 1] ?? ""] as const] : [])));
}

const lowered: readonly Lowered[] = readdirSync(baselines, { withFileTypes: true })
  .filter((each) => each.isDirectory() && readdirSync(join(baselines, each.name)).includes("bundle.txt"))
  .flatMap(({ name }) => {
    const files = filesOf(readFileSync(join(baselines, name, "bundle.txt"), "utf8"));
    return [...files]
      .filter(([path]) => path.endsWith("/deepspeed.json"))
      .map(([path, text]): Lowered => {
        const trainer = JSON.parse(files.get(path.replace("deepspeed.json", "trainer.json")) ?? "{}") as {
          world: number;
        };
        return { from: `${name}/${path}`, text, world: trainer.world };
      });
  });

it("is lowered by some cases", () => {
  expect(lowered.length).toBeGreaterThan(0);
});

describe.each(lowered.map((each) => [each.from, each] as const))("%s", (_, { text, world }) => {
  it("breaks no demand and has no key that nothing reads", () => {
    const config = parseValue(text);
    if (!isSection(config)) throw new Error("an object");
    const launch = { world, model: { kind: "dense" }, clientOptimizer: "AdamW", accelerator: "cuda" } as const;
    expect(checkDeepSpeed(config, launch)).toEqual({ findings: [], undecided: [] });
  });
});

it.runIf(hasPython)(
  "is taken by the real DeepSpeed",
  () => {
    const input = JSON.stringify(lowered.map(({ text, world }) => ({ config: JSON.parse(text) as unknown, world })));
    const script = join(import.meta.dirname, "../../../support/deepspeed_configs.py");
    const out = execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
    const answers = JSON.parse(out) as readonly { readonly error?: string }[];
    expect(answers.map(({ error }) => error)).toEqual(lowered.map(() => undefined));
  },
  120_000,
);
