/** Options that take several words are read whole. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

it.each([
  ["--use_peft --lora_r 16 --lora_alpha 32 --lora_target_modules q_proj v_proj --bf16", "targets = [q, v]"],
  ["--use_peft --lora_r 16 --lora_alpha 32 --lora_target_modules q_proj,v_proj --bf16", "targets = [q, v]"],
  ["--bf16 --report_to tensorboard wandb", "[console, tensorboard, wandb]"],
])("%s", (rest, written) => {
  const run = `torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen3-8B --dataset_name imdb --output_dir out --max_steps 100 ${rest}\n`;
  const { text, changed } = importLaunch(
    [{ path: "run.sh", text: run }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  expect(text).toContain(written);
  expect(changed).toEqual(["the program train.py"]);
});
