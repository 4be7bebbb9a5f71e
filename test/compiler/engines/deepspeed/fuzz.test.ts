/** Random configurations: the real DeepSpeedConfig and ours refuse the same ones. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { judgeDeepSpeed, readDeepSpeed } from "../../../../bench/truth/deepspeed.ts";
import type { Keys } from "../../../../compiler/engines/deepspeed/key.ts";
import { keysOfConfig } from "../../../../compiler/engines/deepspeed/sections.ts";
import { modelOfSection, models } from "../../../../compiler/engines/deepspeed/table.ts";
import { hasPython, python } from "../../../support/python.ts";

function paths(keys: Keys, prefix = ""): string[] {
  return Object.entries(keys).flatMap(([name, value]) => [
    `${prefix}${name}`,
    ...(value.type === "section" ? paths(value.keys, `${prefix}${name}.`) : []),
  ]);
}

it.runIf(hasPython)(
  "agrees with the engine's own class",
  () => {
    const rows = 1500;
    const script = join(import.meta.dirname, "../../../support/deepspeed_fuzz.py");
    const out = execFileSync(python(), [script, "7", String(rows)], {
      input: JSON.stringify({ models, sections: modelOfSection, plain: paths(keysOfConfig) }),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
      maxBuffer: 2 ** 26,
    });
    const lines = out.trim().split("\n");
    expect(lines).toHaveLength(rows);
    const apart = lines.filter((line) => {
      const { engine, ours } = judgeDeepSpeed(readDeepSpeed(line));
      return engine !== ours;
    });
    expect(apart).toEqual([]);
    const refused = lines.filter((line) => line.includes('"verdict": "error"')).length;
    expect(refused).toBeGreaterThan(rows / 4);
    expect(refused).toBeLessThan((3 * rows) / 4);
  },
  180_000,
);
