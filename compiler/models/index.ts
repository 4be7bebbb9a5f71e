import type { FamilyName } from "../pipeline.ts";
import type { Family } from "./family.ts";
import { gpt2 } from "./gpt2.ts";
import { gptNeox } from "./gpt_neox.ts";
import { llama } from "./llama.ts";

/** Every family; a new one is one file and one line here. */
export const families: Readonly<Record<FamilyName, Family>> = { gpt2, gpt_neox: gptNeox, llama };

export const familyNames: readonly string[] = Object.keys(families);
