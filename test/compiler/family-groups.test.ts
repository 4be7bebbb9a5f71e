/** What a family says of its experts holds wherever a file asks, whether a model writes it or not. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { explain } from "../../compiler/explain/explain.ts";
import { alone } from "../support/alone.ts";

const models = `/// x
data d { from = "x.txt", tokenizer = bytes }
model mx { family = mixtral, layers = 2, d_model = 64, heads = 4, kv_heads = 4, context = 64 tokens }
model some extends mx { moe { experts = 4 } }
model plain { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
abstract stage base { data = d, length = 3 steps, batch = 2 samples, optimizer = adamw(lr = 1e-3) }
`;
const compiled = (text: string) => compile({ path: "a.cdr", text: `${models}${text}\n` }, alone);
const errors = (text: string): readonly string[] =>
  compiled(text).diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));

describe("the experts of a family", () => {
  it.each([
    "assert mx.moe.experts == 8 and mx.moe.top_k == 2 and mx.moe.d_ff == mx.d_ff",
    "assert some.moe.experts == 4 and some.moe.d_ff == some.d_ff",
    "stage s extends base { model = mx, loss = cross_entropy + 0.01 * load_balance + 0.001 * z_loss }",
    "stage s extends base { model = mx, adapters = lora(rank = 8, alpha = 16, targets = [experts]) }",
  ])("are there: %s", (text) => expect(errors(text)).toEqual([]));

  it.each([
    ["assert plain.moe.experts == 8", "cdr/member-unknown"],
    ["stage s extends base { model = plain, loss = cross_entropy + 0.01 * load_balance }", "cdr/loss-experts"],
    [
      "stage s extends base { model = plain, adapters = lora(rank = 8, alpha = 16, targets = [experts]) }",
      "cdr/adapter-target",
    ],
  ])("are not where a family has none: %s", (text, code) => expect(errors(text)).toEqual([code]));

  it("are explained by the family's word", () => {
    const [row] = explain(compiled("stage s extends base { model = mx }"), "mx.moe.experts");
    expect(row).toMatchObject({ path: "mx.moe.experts", value: "8", origin: { kind: "default", by: "mixtral" } });
    const [inner] = explain(compiled(""), "some.moe.d_ff");
    expect(inner?.value).not.toBe("none");
  });
});

describe("a figure of a model that is `none`", () => {
  const gone = "model gone extends plain { vocab = none, window = none }\n";

  it("is what it would be if nobody had written it", () => {
    expect(errors(`${gone}stage s extends base { model = gone }\nassert gone.vocab == 257`)).toEqual([]);
  });

  it("leaves a teacher one to plan with", () => {
    const stage = "stage s extends base { model = plain, loss = distill, objective = distill(teacher = gone) }";
    const [planned] = compiled(`${gone}${stage}`).plan.stages;
    expect(planned?.memory.peak).toBeGreaterThan(0);
  });
});
