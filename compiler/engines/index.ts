import { deepspeed } from "./deepspeed/index.ts";
import type { Engine } from "./engine.ts";
import { megatron } from "./megatron/index.ts";
import { torch } from "./torch/index.ts";

/** Every engine, plainest first; a new one is one folder and one line here. */
export const engines: Readonly<Record<Engine["name"], Engine>> = { torch, deepspeed, megatron };
