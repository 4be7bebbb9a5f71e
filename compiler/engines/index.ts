import { deepspeed } from "./deepspeed/index.ts";
import type { Engine } from "./engine.ts";
import { megatron } from "./megatron/index.ts";
import { torch } from "./torch/index.ts";

/**
 * Every engine, plainest first; a new one is one folder and one line here. Its rules and its lowering are getters, so that
 * the bundle loads them for a stage that runs on it; scripts/lazy-modules.mjs.
 */
export const engines: Readonly<Record<Engine["name"], Engine>> = { torch, deepspeed, megatron };
