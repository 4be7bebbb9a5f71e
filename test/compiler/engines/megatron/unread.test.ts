/** Arguments that are read only where another one is set, as the table of the engine's source has them. */
import { expect, it } from "vitest";
import { tryExample } from "../../../../compiler/engines/megatron/example.ts";
import { argumentTable, type Argument } from "../../../../compiler/engines/megatron/table.ts";
import readers from "../../../../compiler/engines/megatron/versions/readers.json" with { type: "json" };

const table = argumentTable("gpt");
const of = (dest: string): Argument | undefined => table.all.find((one) => one.dest === dest);
const rows = Object.entries(readers.read_with) as unknown as (readonly [
  string,
  readonly (readonly [string, (readonly string[])?])[],
])[];

/** An argument with a value of its type. */
function words(dest: string, wanted?: string): string {
  const argument = of(dest);
  const [name = ""] = argument?.names ?? [];
  if (argument?.action !== undefined) return name;
  const value =
    wanted ?? argument?.choices?.find((one) => one !== argument.default) ?? (argument?.type === "int" ? 8 : 0.5);
  return `${name} ${argument?.type === undefined || argument.type === "str" ? (wanted ?? argument?.choices?.[0] ?? "a") : value}`;
}

const told = (more: string, before?: string): readonly string[] =>
  tryExample("gpt", more, before).judgement.findings.flatMap(({ rule, message }) =>
    /unread|experts-unused/.test(rule.diagnostic.code) ? [message] : [],
  );

it("names arguments that the engine has", () => {
  expect(rows.length).toBeGreaterThan(150);
  const named = rows.flatMap(([dest, conditions]) => [dest, ...conditions.map(([name]) => name)]);
  expect(named.filter((dest) => of(dest) === undefined)).toEqual([]);
});

it.each([
  ["kv_lora_rank", "--multi-latent-attention"],
  ["q_lora_rank", "--multi-latent-attention"],
  ["mamba_state_dim", "--hybrid-layer-pattern"],
  ["mamba_num_heads", "--hybrid-layer-pattern"],
  ["moe_router_topk", "--num-experts"],
  ["moe_aux_loss_coeff", "--num-experts"],
  ["moe_router_score_function", "--num-experts"],
  ["rope_scaling_factor", "--use-rope-scaling"],
  ["lr_wsd_decay_style", "--lr-decay-style WSD"],
  ["fp8_margin", "--fp8-format"],
  ["sft_tokenizer_prompt_format", "--tokenizer-type SFTTokenizer"],
])("%s does nothing without %s", (dest, needed) => {
  expect(told(words(dest))).toEqual([`${of(dest)?.names[0]} has no effect without ${needed}`]);
});

it("tells of an argument without its condition, and of none with it", () => {
  const single = rows.flatMap(([dest, conditions]) => {
    const [first, ...others] = conditions;
    return first === undefined || others.length > 0 ? [] : [{ dest, name: first[0], values: first[1] }];
  });
  const spoken = single.filter(({ dest, name }) =>
    told(words(dest)).some((one) => one.includes(of(name)?.names[0] ?? name)),
  );
  expect(spoken.length).toBeGreaterThan(60);
  const still = spoken.filter(
    ({ dest, name, values }) => told(`${words(dest)} ${words(name, values?.[0])}`).length > 0,
  );
  expect(still.map(({ dest }) => dest)).toEqual([]);
});

it("leaves layers of the user's own to him", () => {
  expect(told("--kv-lora-rank 8 --spec own.layers spec")).toEqual([]);
});

it("asks what the release asks that judges", () => {
  expect(told("--fp8-margin 1")).toEqual(["--fp8-margin has no effect without --fp8-format"]);
  expect(told("--fp8-margin 1", "0.18")).toEqual([]);
  expect(told("--kv-lora-rank 256", "0.11")).toEqual(told("--kv-lora-rank 256"));
});
