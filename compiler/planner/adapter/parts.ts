/** Which parts of a layer a tensor is, by its name in its class. */
import type { Tensor } from "../../models/family.ts";

/** By the last word of a name; words that mean one thing in attention and another elsewhere stand below. */
const words: Readonly<Record<string, readonly string[]>> = {
  q_proj: ["q"],
  q_a_proj: ["q"],
  q_b_proj: ["q"],
  k_proj: ["k"],
  v_proj: ["v"],
  kv_a_proj_with_mqa: ["k", "v"],
  kv_b_proj: ["k", "v"],
  c_attn: ["q", "k", "v"],
  query_key_value: ["q", "k", "v"],
  Wqkv: ["q", "k", "v"],
  o_proj: ["o"],
  gate_proj: ["gate"],
  up_proj: ["up"],
  c_fc: ["up"],
  fc1: ["up"],
  dense_h_to_4h: ["up"],
  down_proj: ["down"],
  fc2: ["down"],
  dense_4h_to_h: ["down"],
};

const outputs = new Set(["c_proj", "dense", "out_proj"]);
const scans = new Set(["in_proj", "out_proj", "x_proj", "dt_proj"]);

/** The groups of `adapters` that a part belongs to. */
const groups: Readonly<Record<string, string>> = {
  q: "attention",
  k: "attention",
  v: "attention",
  o: "attention",
  gate: "mlp",
  up: "mlp",
  down: "mlp",
};

/** Every name under which `adapters` may mean a matrix: its parts, their groups, `all`. A router is none. */
export function namesOf({ name, routed }: Pick<Tensor, "name" | "routed">): ReadonlySet<string> {
  const parts = partsOf(name, routed === true);
  return new Set(parts.length === 0 ? [] : [...parts, ...parts.flatMap((part) => groups[part] ?? []), "all"]);
}

export function isAdapted(tensor: Pick<Tensor, "name" | "routed">, targets: readonly string[]): boolean {
  const names = namesOf(tensor);
  return targets.some((target) => names.has(target));
}

function partsOf(name: string, routed: boolean): readonly string[] {
  if (routed) return ["experts"];
  const [module = "", ...rest] = name.replace(/\.weight$/, "").split(".");
  const word = rest.at(-1) ?? module;
  const known = words[word];
  if (known !== undefined) return known;
  if (word === "router") return [];
  if (/attn|attention/.test(module)) return outputs.has(word) ? ["o"] : [];
  if (/^(mixer|mamba)$/.test(module)) return scans.has(word) ? ["mamba"] : [];
  if (module === "mlp" && outputs.has(word)) return ["down"];
  if (module === "att" || module === "mix") return ["time_mix"];
  return module === "ffn" ? ["channel_mix"] : [];
}
