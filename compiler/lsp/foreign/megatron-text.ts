import { megatronOption } from "./option.ts";

/** Does a script, half written as it may be, start a Megatron program? Two options that it alone has say so, or the program's name. */
export function isMegatronText(text: string): boolean {
  if (/(?:pretrain_(?:gpt|mamba|hybrid|t5|bert|vlm)|train_rl)\.py/.test(text)) return true;
  const telling = [
    "--tensor-model-parallel-size",
    "--pipeline-model-parallel-size",
    "--micro-batch-size",
    "--num-layers",
  ];
  return telling.filter((name) => megatronOption(name) !== null && text.includes(name)).length >= 2;
}
