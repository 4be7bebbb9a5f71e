import type { FamilyName } from "../pipeline.ts";
import { bamba } from "./bamba.ts";
import { cdrmix } from "./cdrmix.ts";
import { deepseekV2, deepseekV3 } from "./deepseek.ts";
import { falcon } from "./falcon.ts";
import type { Family } from "./family.ts";
import { gemma } from "./gemma.ts";
import { gemma2 } from "./gemma2.ts";
import { gemma3 } from "./gemma3.ts";
import { gpt2 } from "./gpt2.ts";
import { gptNeox } from "./gpt_neox.ts";
import { gptOss } from "./gpt_oss.ts";
import { llama } from "./llama.ts";
import { mamba, mamba2 } from "./mamba.ts";
import { mistral } from "./mistral.ts";
import { mixtral } from "./mixtral.ts";
import { mpt } from "./mpt.ts";
import { nemotron } from "./nemotron.ts";
import { nemotronH } from "./nemotron_h.ts";
import { olmo2 } from "./olmo2.ts";
import { phi } from "./phi.ts";
import { qwen2 } from "./qwen2.ts";
import { qwen3 } from "./qwen3.ts";
import { qwen3Moe } from "./qwen3_moe.ts";
import { rwkv7 } from "./rwkv7.ts";

/** Every family; a new one is one file and one line here. */
export const families: Readonly<Record<FamilyName, Family>> = {
  gpt2,
  gpt_neox: gptNeox,
  llama,
  mistral,
  mixtral,
  qwen2,
  qwen3,
  qwen3_moe: qwen3Moe,
  gemma,
  gemma2,
  gemma3,
  falcon,
  phi,
  olmo2,
  deepseek_v2: deepseekV2,
  deepseek_v3: deepseekV3,
  gpt_oss: gptOss,
  mpt,
  nemotron,
  nemotron_h: nemotronH,
  bamba,
  mamba,
  mamba2,
  rwkv7,
  cdrmix,
};

export const familyNames: readonly string[] = Object.keys(families);

/** Where each was published. */
export const familyPapers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(families).map(({ name, paper }) => [name, paper]),
);
