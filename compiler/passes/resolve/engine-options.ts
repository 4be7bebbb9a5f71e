/** What stands in the parentheses of `engine = …(…)`. */
import type { ChoiceValue } from "../../../dsl/types/value.ts";
import type { StageStep } from "../../pipeline.ts";
import { argument, given, numberOf, textOf, textsOf } from "./read.ts";

export function shardingOf(engine: ChoiceValue | null): StageStep["sharding"] {
  const [over, quantize, nvme] = ["shard_over", "quantize", "nvme"].map((name) => engine?.arguments.get(name));
  const ranks = numberOf(over?.value);
  const folder = textOf(nvme?.value);
  // Megatron's is of its own arguments.
  const version = engine?.name === "deepspeed" ? engine.arguments.get("version") : undefined;
  const release = textOf(version?.value);
  const parts = textsOf(quantize?.value) as ("weights" | "gradients")[];
  return {
    over: over === undefined || ranks === null ? null : given(ranks, over),
    quantize: quantize === undefined || parts.length === 0 ? null : given(parts, quantize),
    nvme: nvme === undefined || folder === null ? null : given(folder, nvme),
    ...(version === undefined || release === null ? {} : { version: given(release, version) }),
  };
}

export function megatronOf(engine: ChoiceValue | null): StageStep["megatron"] {
  const version = engine?.arguments.get("version");
  const text = textOf(version?.value);
  const entry = engine?.arguments.get("entry");
  return {
    version: version === undefined || text === null ? null : given(text, version),
    ...(entry === undefined || textOf(entry.value) !== "bridge" ? {} : { entry: given("bridge", entry) }),
    root: engine === null ? null : textOf(argument(engine, "root")),
    program: engine === null ? null : textOf(argument(engine, "program")),
    python: engine === null ? null : textOf(argument(engine, "python")),
  };
}
