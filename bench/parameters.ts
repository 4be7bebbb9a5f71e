/** `npm run bench -- parameters --rows F`: published models whose parameters the compiler counts. */
import { readFileSync } from "node:fs";
import { families } from "../compiler/models/index.ts";
import { parametersOf } from "../compiler/models/measure.ts";
import type { Draft, Property } from "../compiler/models/family.ts";
import type { FamilyName } from "../compiler/pipeline.ts";
import { complete } from "../compiler/passes/size/complete.ts";

/** A row of `model-parameters.jsonl`, as far as it is read. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly total: number;
  readonly active: number | null;
}

export interface Report {
  readonly exact: number;
  readonly mismatches: readonly {
    readonly id: string;
    readonly which: "total" | "active";
    readonly expected: number;
    readonly counted: number;
  }[];
  readonly unsupported: readonly { readonly id: string; readonly why: string }[];
}

/** Which family builds a published one, by how its name begins; a row's own facts decide between versions. */
const builds: readonly (readonly [RegExp, FamilyName | ((config: Row["config"]) => FamilyName)])[] = [
  [/^gpt-?2/, "gpt2"],
  [/^(pythia|gpt-?neox)/, "gpt_neox"],
  [/^(llama|tinyllama|smollm|vicuna)/, "llama"],
  [/^mixtral/, "mixtral"],
  [/^mistral/, "mistral"],
  [/^qwen-?2(\.5)?$/, "qwen2"],
  [/^qwen-?3-?_?moe/, "qwen3_moe"],
  [/^qwen-?3/, "qwen3"],
  [/^gemma-?2/, "gemma2"],
  [/^gemma-?3/, "gemma3"],
  [
    /^gemma/,
    ({ norms_per_layer: norms, qk_norm: qk }) => (norms !== 4 ? "gemma" : qk === true ? "gemma3" : "gemma2"),
  ],
  [/^falcon/, "falcon"],
  [/^phi/, "phi"],
  [/^olmo-?2/, "olmo2"],
  [/^deepseek/, ({ routed_bias: bias }) => (bias === true ? "deepseek_v3" : "deepseek_v2")],
  [/^gpt-?_?oss/, "gpt_oss"],
  [/^mpt/, "mpt"],
  [/^(nemotron-?_?h|mamba hybrid)/, "nemotron_h"],
  [/^(nemotron|minitron)/, "nemotron"],
  [/^bamba/, "bamba"],
  [/^mamba-?2/, "mamba2"],
  [/^mamba/, "mamba"],
  [/^rwkv-?7/, "rwkv7"],
  [/^cdrmix/, "cdrmix"],
];

/** A property of ours, and the names that rows give it. */
const names: readonly (readonly [Property, ...string[]])[] = [
  ["layers", "layers", "base_num_decoder_layers"],
  ["d_model", "hidden", "base_emb_dim"],
  ["heads", "heads", "base_num_query_heads"],
  ["kv_heads", "kv_heads", "base_num_kv_heads"],
  ["head_dim", "head_dim"],
  ["d_ff", "ffn", "base_mlp_dim"],
  ["vocab", "vocab", "vocab_size"],
  ["tied", "tied", "logits_via_embedding"],
  ["bias", "bias"],
  ["qkv_bias", "qkv_bias", "attention_bias"],
  ["qk_norm", "qk_norm", "use_qk_norm"],
  ["parallel_residual", "parallel_residual"],
  ["norms", "norms_per_layer"],
  ["pattern", "pattern"],
  ["moe.experts", "experts", "num_experts"],
  ["moe.top_k", "topk", "num_experts_per_tok"],
  ["moe.d_ff", "moe_ffn", "base_moe_mlp_dim"],
  ["moe.shared_experts", "shared_experts"],
  ["moe.first_dense", "first_num_dense_layers"],
  ["moe.router_bias", "routed_bias"],
  ["mla.q_rank", "q_lora_rank"],
  ["mla.kv_rank", "kv_lora_rank"],
  ["mla.nope_dim", "qk_nope_head_dim"],
  ["mla.rope_dim", "qk_rope_head_dim"],
  ["mla.v_dim", "v_head_dim"],
  ["ssm.state", "mamba_state", "state"],
  ["ssm.groups", "mamba_groups", "groups"],
  ["ssm.heads", "mamba_heads"],
  ["ssm.head_dim", "mamba_head_dim"],
  ["ssm.expand", "expand"],
  ["ssm.conv", "conv"],
  ["ssm.dt_rank", "dt_rank"],
];

export function count(rows: string): Report {
  const mismatches: Report["mismatches"][number][] = [];
  const unsupported: Report["unsupported"][number][] = [];
  let exact = 0;
  for (const line of rows.split("\n").filter((text) => text.trim() !== "")) {
    const row = JSON.parse(line) as Row;
    const counted = countOf(row);
    if (typeof counted === "string") {
      unsupported.push({ id: row.id, why: counted });
      continue;
    }
    const wrong = (["total", "active"] as const).filter(
      (which) => row[which] !== null && row[which] !== counted[which],
    );
    if (wrong.length === 0) exact++;
    for (const which of wrong) {
      mismatches.push({ id: row.id, which, expected: row[which] ?? 0, counted: counted[which] });
    }
  }
  return { exact, mismatches, unsupported };
}

/** The counts, or why there are none. */
function countOf({ family, config }: Row): { total: number; active: number } | string {
  const found = builds.find(([pattern]) => pattern.test(family.toLowerCase()))?.[1];
  if (found === undefined) return `no family is known that builds ${family}`;
  const statement = families[typeof found === "function" ? found(config) : found];
  const pins: Record<string, unknown> = {};
  for (const [property, ...theirs] of names) {
    const said = theirs.map((name) => config[name]).find((value) => value !== undefined && value !== null);
    if (said !== undefined && (property in statement.defaults || property === "layers" || property === "d_model")) {
      pins[property] = said;
    }
  }
  // Rows of MPT and GPT-2 with a table of positions say its length.
  if (typeof config["pos_emb"] === "number")
    Object.assign(pins, { context: config["pos_emb"], positions: "learned" });
  if (statement.name === "mamba2" && typeof config["head_dim"] === "number") {
    pins["ssm.head_dim"] = config["head_dim"];
    delete pins["head_dim"];
  }
  if (config["alibi"] === true) pins["positions"] = "alibi";
  const attends = config["attn_layers"];
  if (Array.isArray(attends) && typeof pins["layers"] === "number") {
    pins["pattern"] = Array.from({ length: pins["layers"] }, (_, i) => (attends.includes(i) ? "*" : "M")).join("");
  }
  const ranks = config["lora"] as Readonly<Record<string, number>> | undefined;
  if (ranks !== undefined && statement.name === "rwkv7") {
    Object.assign(pins, {
      "rwkv.decay_rank": ranks["w"],
      "rwkv.rate_rank": ranks["a"],
      "rwkv.value_rank": ranks["v"],
      "rwkv.gate_rank": ranks["g"],
    });
  }
  if (statement.name === "deepseek_v2" || statement.name === "deepseek_v3") delete pins["head_dim"];
  const given = Object.fromEntries(Object.entries(pins).filter(([, value]) => value !== undefined)) as Draft;
  const shape = complete(statement, given, new Map())?.shape;
  return shape === undefined ? "the row holds too little" : parametersOf(statement, shape);
}

export async function run(args: string[]): Promise<unknown> {
  const at = args.indexOf("--rows");
  const path = at < 0 ? undefined : args[at + 1];
  if (path === undefined) throw new Error("usage: bench parameters --rows FILE");
  const report = count(readFileSync(path, "utf8"));
  process.stderr.write(table(report));
  return report;
}

function table({ exact, mismatches, unsupported }: Report): string {
  const lines = [
    `exact        ${exact}`,
    `mismatches   ${mismatches.length}`,
    ...mismatches.map((m) => `  ${m.id} (${m.which}): ${m.counted} instead of ${m.expected}`),
    `unsupported  ${unsupported.length}`,
    ...unsupported.map((u) => `  ${u.id}: ${u.why}`),
  ];
  return `${lines.join("\n")}\n`;
}
