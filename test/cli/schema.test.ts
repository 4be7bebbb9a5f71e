import { describe, expect, it } from "vitest";
import { cdrc } from "../support/cdrc.ts";

describe("schema", () => {
  it("prints the schema, or what a file says", () => {
    const schema = JSON.parse(cdrc(["schema"]).out) as { $defs: Record<string, unknown> };
    expect(Object.keys(schema.$defs)).toContain("stage");
    const { code, out } = cdrc(["schema", "examples/quickstart.cdr"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      model: { tiny: { layers: 4, context: { value: 256, unit: "tokens" } } },
      stage: {
        pretrain: {
          model: "tiny",
          length: { value: 400, unit: "steps" },
          optimizer: { choice: "adamw", lr: 0.003 },
          eval: { every: { value: 100, unit: "steps" } },
        },
      },
    });
    expect(cdrc(["schema", "absent.cdr"]).code).toBe(2);
  });
});
